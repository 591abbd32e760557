import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createVersion,
  type GameAtHand,
  type Service,
  uniqueName,
} from "../support/harness.ts";

export function namespacesTests(at: () => Service): void {
  let game: GameAtHand;
  let token: string;
  const call = (method: string, path: string, body?: unknown) =>
    at().request(method, path, { token, ...(body !== undefined && { body }) });
  const names = (nameId: string, displayName = "A Namespace") => ({ display_name: displayName, name_id: nameId });

  beforeAll(async () => {
    game = await createGame(at());
    token = (await createCloudToken(at(), game)).token;
  });

  test("[G2] [T14] createGameNamespace answers the id of a namespace that is then shown whole, with the defaults", async () => {
    const nameId = uniqueName("ns");
    const created = await call("POST", `${game.path}/namespaces`, names(nameId));
    expectAnswer(created, { namespace_id: aUuid });
    const namespaceId = created.json.namespace_id;
    const namespace = {
      namespace_id: namespaceId,
      game_id: game.gameId,
      name_id: nameId,
      display_name: "A Namespace",
      create_ts: aTimestamp,
      version_id: null,
      matchmaker: { lobby_count_max: 1000, max_players: 100, max_players_per_client: null },
      domains: [],
      domain_public_auth: { enabled: false, allow_localhost: false },
    };
    for (const gameReference of [game.gameId, game.gameId.toUpperCase(), game.nameId]) {
      for (const reference of [namespaceId, namespaceId.toUpperCase(), nameId]) {
        const answer = await call("GET", `/cloud/games/${gameReference}/namespaces/${reference}`);
        expectAnswer(answer, { namespace });
      }
    }
    const listed = await call("GET", `${game.path}/namespaces`);
    expect(listed.json).toEqual({ namespaces: expect.arrayContaining([namespace]) });
  });

  test("[T15] a namespace that was just shown is not there through another game, by its id or its name", async () => {
    const { namespaceId, nameId } = await createNamespace(at(), game);
    const other = await createGame(at());
    for (const reference of [namespaceId, nameId]) {
      for (let round = 0; round < 2; round++) {
        expect((await call("GET", `${game.path}/namespaces/${reference}`)).status).toBe(200);
        const through = await at().request("GET", `${other.path}/namespaces/${reference}`, { token: at().adminToken });
        expectRefusal(through, "CLOUD_NAMESPACE_NOT_FOUND");
      }
    }
  });

  test("[G2] createGameNamespace deploys a version of the game, in any case, and refuses another one", async () => {
    const versionId = await createVersion(at(), game);
    const nameId = uniqueName("ns");
    const body = { ...names(nameId), version_id: versionId.toUpperCase() };
    expectAnswer(await call("POST", `${game.path}/namespaces`, body), { namespace_id: aUuid });
    const shown = await call("GET", `${game.path}/namespaces/${nameId}`);
    expect(shown.json.namespace.version_id).toBe(versionId);

    const foreign = await createVersion(at(), await createGame(at()));
    for (const version_id of [foreign, randomUUID()]) {
      const other = uniqueName("ns");
      const answer = await call("POST", `${game.path}/namespaces`, { ...names(other), version_id });
      expectRefusal(answer, "CLOUD_VERSION_NOT_FOUND");
      expectRefusal(await call("GET", `${game.path}/namespaces/${other}`), "CLOUD_NAMESPACE_NOT_FOUND");
    }
    const withNull = { ...names(uniqueName("ns")), version_id: null };
    expectAnswer(await call("POST", `${game.path}/namespaces`, withNull), { namespace_id: aUuid });
  });

  test("[G1] [N10] a name_id is unique within its game and free in another", async () => {
    const { nameId } = await createNamespace(at(), game);
    const taken = await call("POST", `${game.path}/namespaces`, names(nameId));
    expectRefusal(taken, "CLOUD_NAME_TAKEN", [["name_id", "not_unique"]]);
    const errors = [{ path: ["name_id", "not_unique"], message: expect.any(String) }];
    expectAnswer(await call("POST", `${game.path}/namespaces/validate`, names(nameId)), { errors });
    await createNamespace(at(), await createGame(at()), { nameId });
  });

  test("[N6] [N8] [N10] createGameNamespace and validateGameNamespace list every issue, display_name's first", async () => {
    const paths = [
      ["display_name", "too_short"],
      ["name_id", "reserved"],
    ];
    const errors = paths.map((path) => ({ path, message: expect.stringMatching(/\S/) }));
    expectAnswer(await call("POST", `${game.path}/namespaces/validate`, names("validate", "")), { errors });
    const refused = await call("POST", `${game.path}/namespaces`, names("validate", ""));
    expectRefusal(refused, "CLOUD_VALIDATION_ERROR", paths);
    const good = names(uniqueName("ns"));
    expectAnswer(await call("POST", `${game.path}/namespaces/validate`, good), { errors: [] });
    expectAnswer(await call("POST", `${game.path}/namespaces`, good), { namespace_id: aUuid });
  });

  test("[M1] [M3] [M4] updateGameNamespaceMatchmakerConfig sets both numbers; the third stays, changes, or ends with null", async () => {
    const { path } = await createNamespace(at(), game);
    const shown = async () => (await call("GET", path)).json.namespace.matchmaker;
    const set = async (body: unknown) => expectEmpty(await call("POST", `${path}/mm-config`, body));
    await set({ lobby_count_max: 0, max_players: 4294967295 });
    expect(await shown()).toEqual({ lobby_count_max: 0, max_players: 4294967295, max_players_per_client: null });
    await set({ lobby_count_max: 4294967295, max_players: 0, max_players_per_client: 4294967295 });
    await set({ lobby_count_max: 3, max_players: 2 });
    expect(await shown()).toEqual({ lobby_count_max: 3, max_players: 2, max_players_per_client: 4294967295 });
    await set({ lobby_count_max: 3, max_players: 2, max_players_per_client: null });
    expect(await shown()).toEqual({ lobby_count_max: 3, max_players: 2, max_players_per_client: null });
  });

  test("[M5] validateGameNamespaceMatchmakerConfig lists numbers out of range, refuses other types, stores nothing", async () => {
    const { path } = await createNamespace(at(), game);
    const check = (body: unknown) => call("POST", `${path}/mm-config/validate`, body);
    const fault = (field: string) => ({ path: [field, "out_of_range"], message: expect.stringMatching(/\S/) });
    expectAnswer(await check({ lobby_count_max: 5, max_players: 7 }), { errors: [] });
    expectAnswer(await check({ lobby_count_max: -1, max_players: 1.5, max_players_per_client: 4294967296 }), {
      errors: ["lobby_count_max", "max_players", "max_players_per_client"].map(fault),
    });
    const wrong = await check({ lobby_count_max: "5", max_players: null });
    expectRefusal(wrong, "API_BAD_BODY", [["lobby_count_max"], ["max_players"]]);
    expect((await call("GET", path)).json.namespace.matchmaker.lobby_count_max).toBe(1000);
  });

  test("[B10] [T12] toggleNamespaceDomainPublicAuth sets what it is given and leaves the rest", async () => {
    const { path } = await createNamespace(at(), game);
    const shown = async () => (await call("GET", path)).json.namespace.domain_public_auth;
    const steps = [
      [{ enabled: true }, { enabled: true, allow_localhost: false }],
      [
        { enabled: false, allow_localhost: true },
        { enabled: false, allow_localhost: true },
      ],
      [
        { enabled: true, allow_localhost: null },
        { enabled: true, allow_localhost: true },
      ],
      [{ enabled: false }, { enabled: false, allow_localhost: true }],
      [{ allow_localhost: false }, { enabled: false, allow_localhost: false }],
      [{ enabled: true }, { enabled: true, allow_localhost: false }],
      [
        { enabled: null, allow_localhost: true },
        { enabled: true, allow_localhost: true },
      ],
    ];
    for (const [body, expected] of steps) {
      expectEmpty(await call("PUT", `${path}/domain-public-auth`, body));
      expect(await shown()).toEqual(expected);
    }
    expectRefusal(await call("PUT", `${path}/domain-public-auth`, {}), "API_BAD_BODY", [["enabled"]]);
    const wrong = await call("PUT", `${path}/domain-public-auth`, { enabled: 1, allow_localhost: "no" });
    expectRefusal(wrong, "API_BAD_BODY", [["enabled"], ["allow_localhost"]]);
  });

  test("[G5] [G6] [T13] deleteGameNamespace removes it with its domains; ?force=true is allowed, other values are not", async () => {
    const first = await createNamespace(at(), game);
    expectRefusal(await call("DELETE", `${first.path}?force=maybe`), "API_BAD_QUERY", [["force"]]);
    expectRefusal(await call("DELETE", `${first.path}?forced=true`), "API_BAD_QUERY", [["forced"]]);
    expectEmpty(await call("DELETE", `${first.path}?force=true`));
    expectRefusal(await call("GET", first.path), "CLOUD_NAMESPACE_NOT_FOUND");
    expectRefusal(await call("DELETE", first.path), "CLOUD_NAMESPACE_NOT_FOUND");
    const second = await createNamespace(at(), game, { nameId: first.nameId });
    expectEmpty(await call("DELETE", second.path));
  });

  test("[T14] NUL and other oddities in a path are no name of anything", async () => {
    for (const odd of ["%00", "a%00b", "%EF%BF%BF", "'%20or%201=1--", "%25", "%0d%0a", "constructor", "__proto__"]) {
      for (const bearer of [token, at().adminToken]) {
        const ofGame = await at().request("GET", `/cloud/games/${odd}`, { token: bearer });
        expectRefusal(ofGame, "CLOUD_GAME_NOT_FOUND");
        const ofNamespace = await at().request("GET", `${game.path}/namespaces/${odd}`, { token: bearer });
        expectRefusal(ofNamespace, "CLOUD_NAMESPACE_NOT_FOUND");
      }
    }
    const behind = await at().request("GET", `/cloud/games/${game.nameId}%00`, { token });
    expectRefusal(behind, "CLOUD_GAME_NOT_FOUND");
  });

  test("[T15] every operation on a namespace answers 404 for an unknown namespace and an unknown game", async () => {
    const other = await createNamespace(at(), await createGame(at()));
    const calls = namespaceCalls(await createVersion(at(), game));
    const admin = at().adminToken;
    const games = [randomUUID(), "no-such-game"];
    const namespaces = [
      randomUUID(),
      "no-such-namespace",
      other.namespaceId,
      other.nameId,
      "x".repeat(500),
      "%F0%9F%8E%AE",
    ];
    for (const [method, rest, body] of calls) {
      const options = { token: admin, ...(body !== undefined && { body }) };
      for (const unknown of games) {
        const answer = await at().request(method, `/cloud/games/${unknown}/namespaces/prod${rest}`, options);
        expectRefusal(answer, "CLOUD_GAME_NOT_FOUND");
      }
      for (const unknown of namespaces) {
        const answer = await at().request(method, `${game.path}/namespaces/${unknown}${rest}`, options);
        expectRefusal(answer, "CLOUD_NAMESPACE_NOT_FOUND");
      }
    }
    for (const unknown of games) {
      const path = `/cloud/games/${unknown}`;
      const ask = async (method: string, rest: string, body?: unknown) =>
        expectRefusal(
          await at().request(method, `${path}${rest}`, { token: admin, ...(body !== undefined && { body }) }),
          "CLOUD_GAME_NOT_FOUND",
        );
      await ask("GET", "/namespaces");
      await ask("POST", "/namespaces", names("prod"));
      await ask("POST", "/namespaces/validate", names("prod"));
    }
  });
}

/** Every call below a namespace, well-formed, with what a token or domain of it would be called. */
function namespaceCalls(versionId: string): [method: string, rest: string, body?: unknown][] {
  return [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/mm-config", { lobby_count_max: 1, max_players: 1 }],
    ["POST", "/mm-config/validate", { lobby_count_max: 1, max_players: 1 }],
    ["POST", "/domains", { domain: "unknown.example.com" }],
    ["DELETE", "/domains/unknown.example.com"],
    ["PUT", "/domain-public-auth", { enabled: true }],
    ["POST", "/tokens/public"],
    ["POST", "/tokens/development", { hostname: "localhost", ports: {} }],
    ["POST", "/tokens/server"],
    ["GET", "/tokens"],
    ["DELETE", `/tokens/${randomUUID()}`],
    ["PUT", "/version", { version_id: versionId }],
    ["GET", "/version-history"],
  ];
}
