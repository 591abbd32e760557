import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { readAsked } from "./asked.ts";
import { createDecisions } from "./decisions.ts";

const all = { outcome: null, gameMode: null };

function setUp(limits?: Parameters<typeof createDecisions>[2]) {
  let now = Date.UTC(2031, 0, 1);
  const decisions = createDecisions(() => now, randomUUID, limits);
  const note = (namespaceId: string, mode: string, more: object = {}) =>
    decisions.note(namespaceId, {
      operation: "find",
      asked: { game_modes: [mode], seats: 1 },
      outcome: "MATCHMAKER_NO_AVAILABLE_LOBBIES",
      lobbyId: null,
      waitedMs: 1,
      explain: null,
      ...more,
    });
  return {
    decisions,
    note,
    pass(ms: number) {
      now += ms;
    },
  };
}

test("[DE2] equal refusals within a second are one with a count", () => {
  const { decisions, note, pass } = setUp();
  note("n", "duel");
  pass(400);
  note("n", "duel", { waitedMs: 7 });
  note("n", "other");
  note("n", "duel", { operation: "create" });
  note("m", "duel");
  pass(600);
  note("n", "duel");
  const listed = decisions
    .list("n", all)
    .map(({ asked, operation, count, waitedMs }) => [asked.game_modes, operation, count, waitedMs]);
  expect(listed).toEqual([
    [["duel"], "find", 1, 1],
    [["duel"], "create", 1, 1],
    [["other"], "find", 1, 1],
    [["duel"], "find", 2, 7],
  ]);
  expect(decisions.list("n", { outcome: null, gameMode: "other" })).toHaveLength(1);
  expect(decisions.list("n", { outcome: "CREATED", gameMode: null })).toEqual([]);
});

test("[DE3] the last 200 of the 100 namespaces used last are kept, at most 20,000", () => {
  const { decisions, note } = setUp();
  for (let i = 0; i < 300; i++) note("busy", `m${i}`);
  for (let n = 0; n < 150; n++) {
    for (let i = 0; i < 210; i++) note(`n${n}`, `m${i}`);
    note("busy", `again${n}`);
  }
  expect(decisions.size()).toMatchObject({ namespaces: 100, decisions: 20_000 });
  expect(decisions.list("busy", all)).toHaveLength(200);
  expect(decisions.list("busy", all)[0]!.asked.game_modes).toEqual(["again149"]);
  expect(decisions.list("n0", all)).toEqual([]);
});

test("[DE3] large texts are kept for a shorter time", () => {
  const limits = { namespacesMax: 100, perNamespaceMax: 200, charactersMax: 100_000, explainsPerSecond: 20 };
  const { decisions, note } = setUp(limits);
  for (let i = 0; i < 500; i++) note(`n${i % 7}`, `m${i}`, { explain: { summary: "x".repeat(5_000) } });
  expect(decisions.size().characters).toBeLessThanOrEqual(100_000);
  expect(decisions.list("n2", all)[0]!.asked.game_modes).toEqual(["m499"]);
});

test("[DE4] at most 20 refusals a second are explained; what was no refusal is given back", () => {
  const { decisions, pass } = setUp();
  const take = (count: number) => Array.from({ length: count }, () => decisions.takeExplain()).filter(Boolean).length;
  expect(take(30)).toBe(20);
  decisions.giveBackExplain();
  expect(take(5)).toBe(1);
  pass(1_000);
  decisions.giveBackExplain();
  expect(take(30)).toBe(20);
});

test("[DE3] what was asked for is cut to what a right request may have", () => {
  const long = "x".repeat(50_000);
  const asked = readAsked(
    { game_modes: [long], regions: [long], tags: { [long]: long }, version: long, max_players: 3 },
    2,
  );
  expect(JSON.stringify(asked).length).toBeLessThan(700);
  expect(readAsked({ game_mode: "duel", region: "eu", tags: {} }, 1)).toEqual({
    game_modes: ["duel"],
    regions: ["eu"],
    seats: 1,
  });
  const code = { code: "BCDFGH", lobby_config: { a: 1 }, players: [{ key: "steam:1" }] };
  expect(readAsked(code as object, 4)).toEqual({ seats: 4 });
});
