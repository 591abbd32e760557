import { expect, test } from "vitest";
import type { Client } from "../callers.ts";
import type { Context } from "../context.ts";
import { createStartGate } from "./crash-backoff.ts";
import { createCreationBudget } from "./creation-budget.ts";
import { createStartPermit } from "./start-permit.ts";
import { createStartSlots } from "./start-slots.ts";

const namespaceId = "namespace";
const client: Client = { id: "192.0.2.1", network: null, isLimited: true, place: null };
const duel = { gameMode: "duel", region: "eu" };
const royale = { gameMode: "royale", region: "us" };

/** Regions with so many slots each, and one lobby that each client may cause in a minute. */
function createWorld(slotsByRegion: Record<string, number>) {
  const asks: string[] = [];
  const hints: string[] = [];
  const gate = createStartGate();
  // Only what a permit asks is made here.
  const context = {
    config: { maxLobbyProcesses: 1 },
    runtime: {},
    nodes: { ownId: "node", all: () => [] },
    gate,
    creationBudget: createCreationBudget(1),
    slots: createStartSlots({
      isPossible: true,
      describeShortage: () => "the machine is full",
      nodesFor: (region) => {
        const places = slotsByRegion[region] ?? 0;
        return [{ places, free: places, heldBy: () => 0, claimants: () => 1 }];
      },
      poolFor: (region) => region,
      countedAfterMs: null,
      ask: (region) => void asks.push(region),
    }),
    warnOperator: (hint: string) => void hints.push(hint),
    now: () => 0,
  } as unknown as Context;
  let lobbies = 0;
  const newPermit = (more: { client?: Client; isPreview?: boolean } = {}) => {
    const permit = createStartPermit(context, { namespaceId, client: null, ...more });
    const ask = (...pairs: (typeof duel)[]) => permit.ask("v1", pairs, `lobby ${++lobbies}`);
    return { permit, ask };
  };
  const breakMode = (gameMode: string) => {
    const lobby = { lobbyId: "l", versionId: "v1", gameMode, createdAt: 0, readyAt: null };
    for (let count = 0; count < 3; count++) gate.failed(lobby, "it broke.", 0);
  };
  return { newPermit, breakMode, asks, hints };
}

test("a lobby may start in the first pair that nothing blocks", () => {
  const { newPermit, breakMode } = createWorld({ eu: 1, us: 1 });
  const { permit, ask } = newPermit();
  expect([ask(duel, royale), permit.blockedBy()]).toEqual([duel, null]);
  breakMode("duel");
  expect([ask(duel, royale), permit.blockedBy()]).toEqual([royale, null]);
  expect(ask(duel)).toEqual(duel);
  expect(permit.blockedBy()).toMatchObject({
    code: "START_FAILED",
    refusal: { code: "MATCHMAKER_LOBBY_START_FAILED", retryAfterS: 1, metadata: { consecutive_failures: 3 } },
  });
});

test("[RT5] of several blocks the one counts that may be gone in a moment: no slot", () => {
  const { newPermit, breakMode, asks } = createWorld({ eu: 1 });
  breakMode("duel");
  const { permit, ask } = newPermit();
  expect(ask(duel, royale)).toEqual(duel);
  expect(permit.blockedBy()).toMatchObject({ shortRegion: "us", refusal: { retryAfterS: 5 } });
  expect(asks).toEqual(["us"]);
});

test("[RT5] a decision that lacks a slot is made again when another request gives one back", async () => {
  const { newPermit, hints } = createWorld({ eu: 1 });
  const first = newPermit();
  first.ask(duel);
  const second = newPermit();
  const outcomes: object[] = [];
  const decided = second.permit.retry(async () => {
    second.ask(duel);
    outcomes.push(second.permit.blockedBy() ? { ok: false, code: "START_FAILED" } : { ok: true });
    return outcomes.at(-1)!;
  });
  await new Promise(setImmediate);
  expect(outcomes).toHaveLength(1);
  first.permit.settle(false);
  expect(await decided).toEqual({ ok: true });
  expect([outcomes.length, hints]).toEqual([2, []]);
});

test("[RT5] a decision with another reason is final, and the operator gets a hint only for what blocked one", async () => {
  const { newPermit, hints } = createWorld({});
  const { permit, ask } = newPermit();
  const other = { ok: false, code: "TOO_MANY_LOBBIES" };
  const decide = (outcome: () => object) =>
    permit.retry(async () => {
      ask(duel);
      return outcome();
    });
  expect(await decide(() => other)).toBe(other);
  expect(hints).toEqual([]);
  expect(await decide(() => permit.blockedBy()!.refusal)).toBe(permit.blockedBy()?.refusal);
  expect(hints).toEqual(["the machine is full"]);
});

test("[F14] a client's budget is held with the slot, and comes back when no lobby was made", async () => {
  const { newPermit } = createWorld({ eu: 9 });
  const [first, second] = [newPermit({ client }), newPermit({ client })];
  first.ask(duel);
  second.ask(duel);
  expect(second.permit.blockedBy()).toMatchObject({ code: "API_RATE_LIMIT", refusal: { code: "API_RATE_LIMIT" } });
  first.permit.settle(false);
  second.ask(duel);
  expect(second.permit.blockedBy()).toBeNull();
  second.permit.settle(true);
  const third = newPermit({ client });
  third.ask(duel);
  expect(third.permit.blockedBy()).toMatchObject({ code: "API_RATE_LIMIT", refusal: { retryAfterS: 60 } });
});

test("[X8] [SH5] a dry run holds neither a slot nor budget, and asks for no slot", () => {
  const { newPermit, asks } = createWorld({ eu: 1 });
  const preview = newPermit({ client, isPreview: true });
  const find = newPermit({ client });
  for (const { permit, ask } of [preview, find]) expect([ask(duel), permit.blockedBy()]).toEqual([duel, null]);
  preview.ask(duel);
  expect(preview.permit.blockedBy()?.shortRegion).toBe("eu");
  expect(asks).toEqual([]);
});
