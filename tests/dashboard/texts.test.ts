import fc from "fast-check";
import { expect, test } from "vitest";
import { describeLimits } from "../../dashboard/src/components/limit-changes.ts";
import { diffLines } from "../../dashboard/src/components/line-diff.ts";
import { listFields } from "../../dashboard/src/components/schema-fields.ts";
import { openApiDocument } from "../../src/contract/openapi.ts";

const limits = { lobby_count_max: 10, max_players: 8, max_players_per_client: null };
const lobbies = [{ total_player_count: 2 }, { total_player_count: 6 }];

test.each([
  [{}, []],
  [{ lobby_count_max: 1 }, ["2 lobbies run, and the limit is 1. None is stopped; no new one starts until fewer run."]],
  [{ lobby_count_max: 20 }, ["2 lobbies run; up to 18 more can start."]],
  [
    { lobby_count_max: 0 },
    ["2 lobbies run, and none is stopped. No new lobby starts: players get seats only where there is room now."],
  ],
  [
    { max_players: 4 },
    ["1 lobby has more than 4 players. They keep their seats; others get one when there is room again."],
  ],
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
  expect(diffLines("a\nb\nc", "a\nx\nc").map(({ kind }) => kind)).toEqual(["same", "removed", "added", "same"]);
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
