import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createVersion,
  type Service,
  uniqueName,
} from "../support/harness.ts";

export function gamesTests(at: () => Service): void {
  const admin = () => ({ token: at().adminToken });
  const names = (nameId: string, displayName = "A Game") => ({ display_name: displayName, name_id: nameId });

  test("[G1] [N3] [T14] [T17] createGame answers the id of a game that getGame then shows whole", async () => {
    const nameId = uniqueName("game");
    const created = await at().request("POST", "/cloud/games", {
      ...admin(),
      body: names(nameId, "Cafe\u0301 au lait"),
    });
    expectAnswer(created, { game_id: aUuid });
    const gameId = created.json.game_id;
    const game = { game_id: gameId, name_id: nameId, display_name: "Caf\u00e9 au lait", create_ts: aTimestamp };
    for (const reference of [gameId, gameId.toUpperCase(), nameId]) {
      expectAnswer(await at().request("GET", `/cloud/games/${reference}`, admin()), { game });
    }
  });

  test("[T14] a name_id in a path is taken as it is written", async () => {
    const { nameId } = await createGame(at());
    const answer = await at().request("GET", `/cloud/games/${nameId.toUpperCase()}`, admin());
    expectRefusal(answer, "CLOUD_GAME_NOT_FOUND");
  });

  test("[K12] listGames shows every game to the admin and its own one to a cloud token", async () => {
    const game = await createGame(at());
    await createGame(at());
    const { token } = await createCloudToken(at(), game);
    const listed = await at().request("GET", "/cloud/games?limit=500", admin());
    expect(listed.json.games.length).toBeGreaterThanOrEqual(2);
    const shown = { game_id: game.gameId, name_id: game.nameId, display_name: "A Game", create_ts: aTimestamp };
    expect(listed.json.games).toContainEqual(shown);
    expectAnswer(await at().request("GET", "/cloud/games", { token }), { games: [shown] });
  });

  test("[N7] [N10] createGame refuses a name_id that is taken, alone with 409, among other issues with 400", async () => {
    const { nameId } = await createGame(at());
    const taken = await at().request("POST", "/cloud/games", { ...admin(), body: names(nameId) });
    expectRefusal(taken, "CLOUD_NAME_TAKEN", [["name_id", "not_unique"]]);
    const worse = await at().request("POST", "/cloud/games", { ...admin(), body: names(nameId, " ") });
    expectRefusal(worse, "CLOUD_VALIDATION_ERROR", [
      ["display_name", "invalid"],
      ["name_id", "not_unique"],
    ]);
  });

  test.each([
    ["", "", ["too_short", "too_short"]],
    ["x".repeat(129), "x".repeat(33), ["too_long", "too_long"]],
    ["é".repeat(65), "Upper", ["too_long", "invalid"]],
    ["two  spaces", "a--b", ["invalid", "invalid"]],
    ["trailing ", "-a", ["invalid", "invalid"]],
    ["a\u202eb", "a-", ["invalid", "invalid"]],
    ["a\u200bb", "validate", ["invalid", "reserved"]],
    ["a\ue000b", "new", ["invalid", "reserved"]],
    ["tab\tbed", "a_b", ["invalid", "invalid"]],
  ])(
    "[N6] [N7] [N10] display_name %j and name_id %j: validateGame lists what createGame refuses",
    async (display, nameId, reasons) => {
      const paths = [
        ["display_name", reasons[0]!],
        ["name_id", reasons[1]!],
      ];
      const body = names(nameId, display);
      const errors = paths.map((path) => ({ path, message: expect.stringMatching(/\S/) }));
      expectAnswer(await at().request("POST", "/cloud/games/validate", { ...admin(), body }), { errors });
      expectRefusal(await at().request("POST", "/cloud/games", { ...admin(), body }), "CLOUD_VALIDATION_ERROR", paths);
    },
  );

  test("[N3] [N8] validateGame finds no issue in valid names, also of the maximum length, and stores nothing", async () => {
    const body = names("a".repeat(32), "é".repeat(64));
    for (let time = 0; time < 2; time++) {
      expectAnswer(await at().request("POST", "/cloud/games/validate", { ...admin(), body }), { errors: [] });
    }
  });

  test("[N6] validateGame knows the names that are taken", async () => {
    const { nameId } = await createGame(at());
    const answer = await at().request("POST", "/cloud/games/validate", { ...admin(), body: names(nameId) });
    expectAnswer(answer, { errors: [{ path: ["name_id", "not_unique"], message: expect.any(String) }] });
  });

  test("[G5] [G6] deleteGame takes namespaces, versions, domains and tokens with it, and frees the name", async () => {
    const game = await createGame(at());
    const namespace = await createNamespace(at(), game, { versionId: await createVersion(at(), game) });
    const domain = `${uniqueName("gone")}.example.com`;
    await at().admin("POST", `${namespace.path}/domains`, { domain });
    const { token } = await createCloudToken(at(), game);
    expectEmpty(await at().request("DELETE", game.path, admin()));

    expectRefusal(await at().request("GET", game.path, admin()), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await at().request("GET", namespace.path, admin()), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await at().request("DELETE", game.path, admin()), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await at().request("GET", game.path, { token }), "TOKEN_INVALID");
    const again = await createNamespace(at(), await createGame(at(), game.nameId));
    await at().admin("POST", `${again.path}/domains`, { domain });
  });

  test("[K12] [T15] a cloud token cannot distinguish another game from one that does not exist", async () => {
    const { token } = await createCloudToken(at(), await createGame(at()));
    const foreign = await createGame(at());
    const unknownId = randomUUID();
    for (const [ofForeign, ofUnknown] of [
      [foreign.gameId, unknownId],
      [foreign.nameId, "nobody-has-this"],
    ] as const) {
      for (const rest of ["", "/namespaces", "/versions", "/namespaces/prod"]) {
        const [known, unknown] = [
          await at().request("GET", `/cloud/games/${ofForeign}${rest}`, { token }),
          await at().request("GET", `/cloud/games/${ofUnknown}${rest}`, { token }),
        ];
        expectRefusal(known, "CLOUD_GAME_NOT_FOUND");
        expectRefusal(unknown, "CLOUD_GAME_NOT_FOUND");
        expect(known.json.message.replaceAll(ofForeign, "X")).toBe(unknown.json.message.replaceAll(ofUnknown, "X"));
        expect({ ...known.headers, date: "", "x-request-id": "", "content-length": "" }).toEqual({
          ...unknown.headers,
          date: "",
          "x-request-id": "",
          "content-length": "",
        });
      }
    }
  });
}
