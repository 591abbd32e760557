import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createGame,
  createNamespace,
  createToken,
  createVersion,
  type NamespaceAtHand,
  type Service,
  snapshot,
} from "../support/harness.ts";

const nil = "00000000-0000-0000-0000-000000000000";
const region = {
  region_id: "dev-local",
  provider_display_name: "",
  region_display_name: "Local",
  datacenter_coord: { latitude: 0, longitude: 0 },
  datacenter_distance_from_client: { kilometers: 0, miles: 0 },
};
const ports = {
  default: { hostname: "127.0.0.1", host: "127.0.0.1:7777", port: 7777, is_tls: false, url: "ws://127.0.0.1:7777" },
  media: { hostname: "127.0.0.1", port_range: { min: 9000, max: 9010 }, is_tls: true },
};

/** What development tokens are answered. Each request is checked like a real one, and nothing ever changes. */
export function mocksTests(at: () => Service): void {
  let namespace: NamespaceAtHand;
  let token: string;
  const call = (method: string, path: string, body?: unknown) =>
    at().request(method, `/matchmaker/${path}`, { token, ...(body !== undefined && { body }) });
  const seated = async (path: string, body: unknown, size: number) => {
    const answer = await call("POST", path, body);
    const aToken = expect.stringMatching(/^devplayer_[\w-]+$/);
    const { player } = answer.json;
    expectAnswer(answer, {
      lobby: { lobby_id: nil, region: { region_id: "dev-local", display_name: "Local" }, ports, player },
      ports,
      player: { token: aToken },
      players: Array.from({ length: size }, () => ({ player_id: aUuid, token: aToken })),
    });
    expect(answer.json.players[0].token).toBe(player.token);
    expect(new Set(answer.json.players.map((each: { token: string }) => each.token)).size).toBe(size);
    return answer.json;
  };

  beforeAll(async () => {
    const game = await createGame(at());
    namespace = await createNamespace(at(), game, { versionId: await createVersion(at(), game) });
    token = (await createToken(at(), namespace, "dev")).token;
  });

  test("[DEV4] [DEV5] [T12] find, join and create seat a party of any allowed size at the developer's own server", async () => {
    await seated("lobbies/find", { game_modes: ["duel"] }, 1);
    const regions = ["dev-local"];
    await seated("lobbies/find", { game_modes: ["duel", "duel"], regions, tags: { a: "b" }, party_size: 64 }, 64);
    await seated(
      "lobbies/find",
      { game_modes: ["duel"], regions: null, tags: null, max_players: null, party_size: null },
      1,
    );
    await seated("lobbies/join", { lobby_id: randomUUID() }, 1);
    await seated("lobbies/join", { lobby_id: nil, party_size: 3 }, 3);
    await seated("lobbies/create", { game_mode: "duel" }, 1);
    await seated(
      "lobbies/create",
      { game_mode: "duel", publicity: "private", lobby_config: { map: [1] }, party_size: 2 },
      2,
    );
  });

  test("[SM4] find and create are checked against the deployed version, and the token for the mode's ports", async () => {
    const find = (body: object) => call("POST", "lobbies/find", { game_modes: ["duel"], ...body });
    const create = (body: object) => call("POST", "lobbies/create", { game_mode: "duel", ...body });
    expectRefusal(await find({ game_modes: ["duel", "chess"] }), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await create({ game_mode: "chess" }), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await find({ regions: ["moon"] }), "MATCHMAKER_REGION_NOT_FOUND");
    expectRefusal(await create({ region: "moon" }), "MATCHMAKER_REGION_NOT_FOUND");
    for (const region of ["local", "dev-local"]) {
      expect((await find({ regions: ["moon", region] })).status).toBe(200);
      expect((await create({ region })).status).toBe(200);
    }
    expectRefusal(await find({ max_players: 2 }), "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED");
    expectRefusal(await create({ max_players: 2 }), "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED");

    const mode = { max_players: 2, runtime: { external: {} } };
    const config = {
      regions: { local: {} },
      game_modes: { duel: mode, voiced: { ...mode, ports: { game: {}, voice: {} } } },
    };
    const versionId = await createVersion(at(), namespace.game, config);
    const other = await createNamespace(at(), namespace.game, { versionId });
    const dev = (await createToken(at(), other, "dev")).token;
    const ask = (path: string, body: object) =>
      at().request("POST", `/matchmaker/lobbies/${path}`, { token: dev, body });
    const missing = [
      ["ports", "game"],
      ["ports", "voice"],
    ];
    expectRefusal(await ask("find", { game_modes: ["duel", "voiced"] }), "MATCHMAKER_PORTS_INVALID", missing);
    expectRefusal(await ask("create", { game_mode: "voiced" }), "MATCHMAKER_PORTS_INVALID", missing);
    expectRefusal(await ask("find", { game_modes: ["duel"], tags: { a: "b" } }), "MATCHMAKER_TAGS_DISABLED");
    expect((await ask("find", { game_modes: ["duel"] })).status).toBe(200);

    const bare = (await createToken(at(), await createNamespace(at(), namespace.game), "dev")).token;
    const anything = { game_modes: ["any"], regions: ["moon"], max_players: 9 };
    expect((await at().request("POST", "/matchmaker/lobbies/find", { token: bare, body: anything })).status).toBe(200);
  });

  test("[DEV2] ready, closed, state and stop answer 204, the state is null", async () => {
    expectEmpty(await call("POST", "lobbies/ready"));
    expectEmpty(await call("POST", "lobbies/ready", {}));
    for (const is_closed of [true, false]) expectEmpty(await call("PUT", "lobbies/closed", { is_closed }));
    for (const state of [{ a: [1, null] }, null, 0, "", false, []])
      expectEmpty(await call("PUT", "lobbies/state", state));
    expectEmpty(await call("PUT", "lobbies/state"));
    expectAnswer(await call("GET", `lobbies/${randomUUID()}/state`), null);
    expectEmpty(await call("POST", "lobbies/stop"));
  });

  test("[DEV3] heartbeat echoes", async () => {
    const ids = [randomUUID(), randomUUID()];
    const constant = { is_closed_by_operator: false, is_outdated: false, heartbeat_s: 0, reconnect_s: 0 };
    const players = ids.map((player_id) => ({ player_id, is_held: false }));
    const echoed = { player_ids: ids, players, is_closed: true, ...constant };
    expectAnswer(await call("POST", "lobbies/heartbeat", { player_ids: ids, is_closed: true }), echoed);
    const empty = { player_ids: [], players: [], is_closed: false, ...constant };
    for (const body of [{}, { player_ids: null, is_closed: null }]) {
      expectAnswer(await call("POST", "lobbies/heartbeat", body), empty);
    }
  });

  test("[DEV6] [DEV7] list, regions and statistics show one region, the deployed modes and no players", async () => {
    const listed = {
      lobby_id: nil,
      game_mode_id: "duel",
      region_id: "dev-local",
      max_players_normal: 2,
      max_players_direct: 4,
      max_players_party: 2,
      total_player_count: 0,
      is_closed: false,
      tags: {},
    };
    const whole = { game_modes: [{ game_mode_id: "duel" }], regions: [region], lobbies: [listed] };
    expectAnswer(await call("GET", "lobbies/list"), whole);
    const withState = { ...whole, lobbies: [{ ...listed, state: null }] };
    expectAnswer(await call("GET", "lobbies/list?include_state=true&game_mode=duel&limit=5"), withState);
    expectAnswer(await call("GET", "regions"), { regions: [region] });
    expectAnswer(await call("GET", "players/statistics"), { player_count: 0, game_modes: {} });
    expectRefusal(await call("GET", "lobbies/list?include_state=perhaps&limit=0"), "API_BAD_QUERY");
  });

  test("[DEV6] without a deployed version the list is empty of modes", async () => {
    const bare = await createNamespace(at(), namespace.game);
    const dev = await createToken(at(), bare, "dev");
    const answer = await at().request("GET", "/matchmaker/lobbies/list", { token: dev.token });
    expectAnswer(answer, { game_modes: [], regions: [region], lobbies: [] });
  });

  test("[DEV6] [Q2] [T23] [T24] the list is cut, ordered, filtered and refused like a real one", async () => {
    const mode = { max_players: 2, runtime: { external: {} } };
    const config = { regions: { "eu-1": {}, "us-1": {} }, game_modes: { royale: mode, duel: mode, "capture-1": mode } };
    const versionId = await createVersion(at(), namespace.game, config);
    const richer = await createNamespace(at(), namespace.game, { versionId });
    const dev = (await createToken(at(), richer, "dev")).token;
    const list = (query: string) => at().request("GET", `/matchmaker/lobbies/list?${query}`, { token: dev });
    const modesOf = async (query: string) => {
      const { json } = await list(query);
      expect(json.regions).toEqual([region]);
      expect(json.game_modes.map((each: { game_mode_id: string }) => each.game_mode_id)).toEqual(
        expect.arrayContaining(["capture-1", "duel", "royale"]),
      );
      return json.lobbies.map((each: { game_mode_id: string }) => each.game_mode_id);
    };
    expect(await modesOf("")).toEqual(["capture-1", "duel", "royale"]);
    expect(await modesOf("game_mode=duel")).toEqual(["duel"]);
    expect(await modesOf("region=dev-local&game_mode=royale")).toEqual(["royale"]);
    expect(await modesOf("region=us-1")).toEqual([]);
    expectRefusal(await list("game_mode=chess"), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await list("region=moon"), "MATCHMAKER_REGION_NOT_FOUND");
    for (const cursor of ["x", "ZHVlbA"]) {
      expectRefusal(await list(`cursor=${cursor}`), "API_BAD_QUERY", [["cursor"]]);
    }

    const pages: string[][] = [];
    let query = "limit=2";
    for (;;) {
      const { json } = await list(query);
      pages.push(json.lobbies.map((each: { game_mode_id: string }) => each.game_mode_id));
      if (json.cursor === undefined) break;
      query = `limit=2&cursor=${json.cursor}`;
    }
    expect(pages).toEqual([["capture-1", "duel"], ["royale"]]);
    expect((await list("limit=3")).json.cursor).toBeUndefined();
  });

  test("[DEV8] connected, disconnected, resume and release take only development players of the namespace", async () => {
    const found = await seated("lobbies/find", { game_modes: ["duel"] }, 1);
    const { player, players } = found;
    const ticket = { player_token: player.token };
    for (let time = 0; time < 2; time++) {
      const { player_id } = players[0];
      expectAnswer(await call("POST", "players/connected", ticket), { player_id, returned: false });
      expectEmpty(await call("POST", "players/disconnected", { ...ticket, may_return: true }));
      expectAnswer(await call("POST", "players/resume", ticket), found);
      expectEmpty(await call("POST", "players/release", ticket));
    }
    const { namespaceId } = namespace;
    const playerId = randomUUID();
    const foreign = [
      at().derive({ kind: "devplayer", namespaceId: randomUUID(), playerId }),
      at().derive({ kind: "player", namespaceId, lobbyId: randomUUID(), playerId }),
      at().derive({ kind: "lobby", namespaceId, lobbyId: randomUUID() }),
      token,
      `${player.token}x`,
      "devplayer_",
      "x",
    ];
    for (const player_token of foreign) {
      for (const path of ["players/connected", "players/disconnected", "players/resume", "players/release"]) {
        expectRefusal(await call("POST", path, { player_token }), "MATCHMAKER_PLAYER_NOT_FOUND");
      }
    }
  });

  test("[K15] in a game mode with codes find and create have a code, and a join by code has this one", async () => {
    const game = await createGame(at());
    const mode = { max_players: 2, codes: { enabled: true, length: 4 }, actions: { create: { enabled: true } } };
    const game_modes = { duel: { ...mode, runtime: { external: {} } } };
    const versionId = await createVersion(at(), game, { regions: { local: {} }, game_modes });
    const withCodes = (await createToken(at(), await createNamespace(at(), game, { versionId }), "dev")).token;
    const codeOf = async (path: string, body: object, given = withCodes) =>
      (await at().request("POST", `/matchmaker/lobbies/${path}`, { token: given, body })).json.lobby.code;
    expect(await codeOf("find", { game_modes: ["duel"] })).toBe("BCDF");
    expect(await codeOf("create", { game_mode: "duel" })).toBe("BCDF");
    expect(await codeOf("join", { code: "bc-df" })).toBe("BCDF");
    expect(await codeOf("join", { lobby_id: nil })).toBeUndefined();
    expect(await codeOf("find", { game_modes: ["duel"] }, token)).toBeUndefined();
  });

  test("[K15] register is not for development tokens", async () => {
    expectRefusal(await call("POST", "lobbies/register", {}), "TOKEN_FORBIDDEN");
  });

  describe("bodies are checked as the matchmaker would", () => {
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, "v"]));
    const find = (more: object) => ["lobbies/find", { game_modes: ["duel"], ...more }] as const;
    const create = (more: object) => ["lobbies/create", { game_mode: "duel", ...more }] as const;

    test.each([
      ["no mode", "lobbies/find", { game_modes: [] }, "MATCHMAKER_NO_GAME_MODE_PROVIDED", undefined],
      ["nine tags", ...find({ tags: nine }), "MATCHMAKER_TOO_MANY_TAGS", undefined],
      ["long tag name", ...find({ tags: { ["n".repeat(65)]: "v" } }), "MATCHMAKER_TAG_TOO_LONG", undefined],
      ["long tag value", ...find({ tags: { n: "é".repeat(129) } }), "MATCHMAKER_TAG_TOO_LONG", [["tags", "n"]]],
      ["nine tags", ...create({ tags: nine }), "MATCHMAKER_TOO_MANY_TAGS", undefined],
      ["long tag value", ...create({ tags: { n: "v".repeat(257) } }), "MATCHMAKER_TAG_TOO_LONG", [["tags", "n"]]],
      ["large config", ...create({ lobby_config: "x".repeat(16_383) }), "MATCHMAKER_LOBBY_CONFIG_INVALID", undefined],
      ["party of 65", ...find({ party_size: 65 }), "API_BAD_BODY", [["party_size"]]],
      ["party of 0", ...find({ party_size: 0 }), "API_BAD_BODY", [["party_size"]]],
      ["17 modes", "lobbies/find", { game_modes: Array(17).fill("duel") }, "API_BAD_BODY", [["game_modes"]]],
      ["65 regions", ...find({ regions: Array(65).fill("local") }), "API_BAD_BODY", [["regions"]]],
      ["odd publicity", ...create({ publicity: "secret" }), "API_BAD_BODY", [["publicity"]]],
      ["odd id", "lobbies/join", { lobby_id: "nil" }, "API_BAD_BODY", [["lobby_id"]]],
      ["odd players", "lobbies/heartbeat", { player_ids: ["me"], is_closed: 1 }, "API_BAD_BODY", undefined],
      ["unknown field", ...find({ party: 2 }), "API_BAD_BODY", [["party"]]],
      ["empty player", "players/connected", { player_token: "" }, "API_BAD_BODY", [["player_token"]]],
    ] as const)("[DEV1] %s to %s", async (_title, path, body, code, paths) => {
      expectRefusal(await call("POST", path, body), code, paths);
    });

    test("[DEV1] 8 tags of the greatest length pass", async () => {
      const tags = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}`.padEnd(64, "x"), "v".repeat(256)]));
      await seated("lobbies/find", { game_modes: ["duel"], tags }, 1);
      await seated("lobbies/create", { game_mode: "duel", tags, lobby_config: "x".repeat(16_382) }, 1);
    });

    test("[T6] a state of 16 KiB passes, one byte more is too large", async () => {
      expectEmpty(await call("PUT", "lobbies/state", "x".repeat(16 * 1024 - 2)));
      expectRefusal(await call("PUT", "lobbies/state", "x".repeat(16 * 1024 - 1)), "API_BODY_TOO_LARGE");
    });

    test("[DEV1] an Idempotency-Key is 1 to 128 visible characters of ASCII", async () => {
      const find = (key: string) =>
        at().request("POST", "/matchmaker/lobbies/find", {
          token,
          body: { game_modes: ["duel"] },
          headers: { "idempotency-key": key },
        });
      for (const key of ["k", "~".repeat(128)]) expect((await find(key)).status).toBe(200);
      for (const key of ["", "k".repeat(129), "two words", "caf\u00e9"])
        expectRefusal(await find(key), "API_BAD_HEADER");
    });
  });

  test("[DEV1] [I20] no mock answer changes anything", async () => {
    const before = await snapshot(at());
    await seated("lobbies/create", { game_mode: "duel" }, 1);
    await call("PUT", "lobbies/closed", { is_closed: true });
    await call("PUT", "lobbies/state", { a: 1 });
    await call("POST", "lobbies/stop");
    expect(await snapshot(at())).toEqual(before);
  });
}
