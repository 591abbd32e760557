import fc from "fast-check";
import { expect, test } from "vitest";
import { describeCall } from "../../dashboard/src/components/describe-call.ts";
import { describeLimits } from "../../dashboard/src/components/limit-changes.ts";
import { diffLines } from "../../dashboard/src/components/line-diff.ts";
import { listFields } from "../../dashboard/src/components/schema-fields.ts";
import { openApiDocument } from "../../src/contract/openapi.ts";

const limits = { lobby_count_max: 10, max_players: 8, max_players_per_client: null };
const lobbies = [{ total_player_count: 2 }, { total_player_count: 6 }];

test.each([
  [{}, []],
  [{ lobby_count_max: 1 }, ["2 lobbies run, and the limit is 1. None is stopped; no new one starts until fewer run."]],
  [{ lobby_count_max: 2 }, ["2 lobbies run, and the limit is 2. None is stopped; no new one starts until fewer run."]],
  [{ lobby_count_max: 20 }, ["2 lobbies run; up to 18 more can start."]],
  [
    { lobby_count_max: 0 },
    ["2 lobbies run, and none is stopped. No new lobby starts: players get seats only where there is room now."],
  ],
  [
    { max_players: 4 },
    ["1 lobby has more than 4 players. They keep their seats; others get one when there is room again."],
  ],
  [{ max_players: 6 }, ["No lobby has more than 6 players now."]],
  [{ max_players: 7 }, ["No lobby has more than 7 players now."]],
  [{ max_players_per_client: 3 }, ["A client that has more than 3 seats keeps them, and gets no more."]],
])("[DB8] what %j means is said", (change, sentences) => {
  expect(describeLimits(limits, { ...limits, ...change }, lobbies)).toEqual(sentences);
});

test("[DB11] a comparison has all lines of both documents, in order", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = diffLines(before, after);
      const without = (left: string) => lines.filter(({ kind }) => kind !== left).map(({ text }) => text);
      expect([without("added").join("\n"), without("removed").join("\n")]).toEqual([before, after]);
    }),
    { numRuns: 500, seed: 11 },
  );
  const moved = diffLines("a\nb\nc\nd\ne", "b\nc\nd\na\ne").map(({ kind, text }) => `${kind} ${text}`);
  expect(moved).toEqual(["removed a", "same b", "same c", "same d", "added a", "same e"]);
  expect(diffLines("a\nb\nc", "a\nx\nc").map(({ kind }) => kind)).toEqual(["same", "removed", "added", "same"]);
});

test("[DB29] a change is described as curl and as a command, for any shell text and without the token", () => {
  const names = { display_name: "Bob's game; $HOME", name_id: "bob" };
  const created = describeCall((foyer) => foyer.games.createGame(names), "https://foyer.example.com");
  expect(created.command).toBe(
    `foyer call games.createGame --body '{"display_name":"Bob'\\''s game; $HOME","name_id":"bob"}'`,
  );
  expect(created.curl.split(" \\\n  ")).toEqual([
    "curl -X POST https://foyer.example.com/cloud/games",
    '-H "Authorization: Bearer $FOYER_ADMIN_TOKEN"',
    "-H 'Content-Type: application/json'",
    `-d '{"display_name":"Bob'\\''s game; $HOME","name_id":"bob"}'`,
  ]);
  const removed = describeCall((foyer) => foyer.games.deleteGame("bob", { force: true }), "http://127.0.0.1:7100");
  expect(removed.command).toBe("foyer call games.deleteGame bob --force");
  expect(removed.curl).toContain("curl -X DELETE 'http://127.0.0.1:7100/cloud/games/bob?force=true'");
});

test("[DB11] every field of a version document is explained", () => {
  const { schemas } = openApiDocument(null).components;
  const fields = listFields(schemas as never, "VersionConfig");
  const paths = fields.map(({ path }) => path);
  for (const path of ["regions", "game_modes.{name}.max_players", "game_modes.{name}.runtime.docker.image"]) {
    expect(paths).toContain(path);
  }
  expect(new Set(paths).size).toBe(paths.length);
  expect(fields.find(({ path }) => path === "game_modes.{name}.max_players")).toMatchObject({
    type: "integer",
    isRequired: true,
  });
});
