import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { address, config, createArena, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { aUuid, expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { createGame, createNamespace, createToken } from "../../support/harness.ts";

const aPlayerToken = expect.stringMatching(/^player_[\w-]{40,}$/);

/** find and join with lobbies that register themselves. */
export function findingTests(at: () => Matchmaker): void {
  const arenaWith = (mode: Record<string, unknown> = {}, modes: Record<string, unknown> = {}) =>
    createArena(at().service, config(mode, modes));

  test("find answers where the lobby is and a token for each seat", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const answer = await arena.find({ party_size: 2 });
    const host = "duel.example.com:7777";
    const ports = {
      default: { hostname: "duel.example.com", host, port: 7777, is_tls: false, url: `ws://${host}` },
    };
    const [first, second] = tokensOf(answer) as [string, string];
    expect(first).not.toBe(second);
    expectAnswer(answer, {
      lobby: {
        lobby_id: lobby.lobbyId,
        region: { region_id: "local", display_name: "Local" },
        ports,
        player: { token: first },
      },
      ports,
      player: { token: first },
      players: [
        { player_id: aUuid, token: aPlayerToken },
        { player_id: aUuid, token: aPlayerToken },
      ],
    });
  });

  test("join answers the same", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready({
      region: "far",
      ports: { default: { hostname: "2001:db8::1", port: 443, is_tls: true } },
    });
    const answer = await arena.join(lobby.lobbyId.toUpperCase());
    const host = "[2001:db8::1]:443";
    const ports = { default: { hostname: "2001:db8::1", host, port: 443, is_tls: true, url: `wss://${host}` } };
    const player = { token: aPlayerToken };
    const region = { region_id: "far", display_name: "Far Away" };
    expectAnswer(answer, {
      lobby: { lobby_id: lobby.lobbyId, region, ports, player },
      ports,
      player,
      players: [{ player_id: aUuid, token: aPlayerToken }],
    });
  });

  test("[CL1] [CL2] [CL4] register, ready, find, close, join, reopen", async () => {
    const arena = await arenaWith();
    const lobby = await arena.register();
    expectEmpty(await lobby.ready());
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);

    expectEmpty(await lobby.setClosed(true));
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(lobbyIdOf(await arena.join(lobby.lobbyId))).toBe(lobby.lobbyId);
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectEmpty(await lobby.setClosed(true));
    expectEmpty(await lobby.ready());
    expect(await lobby.seen()).toMatchObject({ is_closed: true, total_player_count: 2, status: "ready" });

    expectEmpty(await lobby.setClosed(false));
    expectEmpty(await lobby.setClosed(false));
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    await arena.limit({});
    const other = await arena.ready();
    expect(lobbyIdOf(await arena.find())).toBe(other.lobbyId);
  });

  test("[CL6] [CL3] a lobby that closes itself while it starts stays closed when it is ready, joined, left and deployed again", async () => {
    const arena = await arenaWith();
    const lobby = await arena.register();
    expectEmpty(await lobby.setClosed(true));
    expectEmpty(await lobby.ready());
    const [token] = tokensOf(await arena.join(lobby.lobbyId)) as [string];
    await lobby.connect(token);
    await lobby.disconnect(token);
    await arena.join(lobby.lobbyId);
    at().clock.advance(120_000);
    await arena.limit({ lobby_count_max: 7, max_players: 9 });
    await arena.deploy(config());
    await arena.redeploy(arena.versionId);
    await lobby.heartbeat({ is_closed: false });
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(await lobby.seen()).toMatchObject({ is_closed: true, is_outdated: false, total_player_count: 0 });
    expectEmpty(await lobby.setClosed(false));
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
  });

  test("[F5] a lobby must have at least the tags that are asked for", async () => {
    const arena = await arenaWith({ max_players: 10, max_players_direct: 10 });
    const lobby = await arena.ready({ tags: { map: "ice", skill: "high", constructor: "x" } });
    for (const tags of [null, {}, { map: "ice" }, { skill: "high", map: "ice" }, { constructor: "x" }]) {
      expect(lobbyIdOf(await arena.find({ tags }))).toBe(lobby.lobbyId);
    }
    for (const tags of [
      { map: "sand" },
      { map: "ice", other: "x" },
      { Map: "ice" },
      { map: "ICE" },
      { tostring: "" },
    ]) {
      expectRefusal(await arena.find({ tags }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    }
    expect((await lobby.seen()).tags).toEqual({ map: "ice", skill: "high", constructor: "x" });
  });

  test("tags are refused where the mode takes none, when there are too many, and when they are too long", async () => {
    const arena = await arenaWith({ taggable: false });
    expectRefusal(await arena.find({ tags: { a: "b" } }), "MATCHMAKER_TAGS_DISABLED");
    expectRefusal(await arena.create({ tags: { a: "b" } }), "MATCHMAKER_TAGS_DISABLED");
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, ""]));
    const long = { ["ä".repeat(33)]: "x", y: "ä".repeat(129), ok: "fine" };
    const register = { game_mode: "duel", region: "local", ports: address };
    const calls = [
      (tags: unknown) => arena.find({ tags }),
      (tags: unknown) => arena.create({ tags }),
      (tags: unknown) => arena.play("POST", "lobbies/register", { ...register, tags }, { token: arena.server }),
    ];
    for (const call of calls) {
      expectRefusal(await call({ a: "b" }), "MATCHMAKER_TAGS_DISABLED");
      expectRefusal(await call(many), "MATCHMAKER_TOO_MANY_TAGS");
      const paths = [
        ["tags", "ä".repeat(33)],
        ["tags", "y"],
      ];
      expectRefusal(await call(long), "MATCHMAKER_TAG_TOO_LONG", paths);
    }
    // An empty set of tags counts as no tags.
    await arena.ready();
    expect((await arena.find({ tags: {} })).status).toBe(200);
  });

  test("[T60] [T61] tags have no control characters and no line breaks, in names and values", async () => {
    const arena = await arenaWith({ max_players: 10, max_players_direct: 10 });
    await arena.ready();
    const register = { game_mode: "duel", region: "local", ports: address };
    const calls = [
      (tags: unknown) => arena.find({ tags }),
      (tags: unknown) => arena.create({ tags }),
      (tags: unknown) => arena.play("POST", "lobbies/register", { ...register, tags }, { token: arena.server }),
    ];
    for (const call of calls) {
      // A value of the wrong type under such a name is one issue at the same path.
      for (const value of ["x", 5, null])
        expectRefusal(await call({ "a\nb": value }), "API_BAD_BODY", [["tags", "a\nb"]]);
      for (const odd of ["\r", "\t", "\u001f", "\u007f", "\u0085", "\u2028", "\u2029"]) {
        const answer = await call({ [`a${odd}`]: "x", b: `x${odd}y`, fine: "é ✓ 漢" });
        expectRefusal(answer, "API_BAD_BODY", [
          ["tags", `a${odd}`],
          ["tags", "b"],
        ]);
        expect(answer.json.errors[1].message).toBe("must be without a control character or a line break");
      }
    }
    const lobby = await arena.ready({ tags: { "é ✓": "漢\u00a0字" } });
    const listed = (await arena.list()).json.lobbies.find(
      ({ lobby_id }: { lobby_id: string }) => lobby_id === lobby.lobbyId,
    );
    expect(listed.tags).toEqual({ "é ✓": "漢\u00a0字" });
  });

  test("[T61] a port's label with a line break is looked at like any other", async () => {
    const arena = await arenaWith({});
    const register = (ports: unknown) =>
      arena.play("POST", "lobbies/register", { game_mode: "duel", region: "local", ports }, { token: arena.server });
    expectRefusal(await register({ ...address, "a\nb": 5 }), "API_BAD_BODY", [["ports", "a\nb"]]);
    expectRefusal(await register({ ...address, "a\nb": null }), "API_BAD_BODY", [["ports", "a\nb"]]);
    const named = await register({ ...address, "a\nb": address.default });
    expectRefusal(named, "MATCHMAKER_PORTS_INVALID", [["ports", "a\nb"]]);
  });

  test("[F7] a party sits together or not at all, found or joined", async () => {
    const arena = await arenaWith({ max_players: 3, max_players_direct: 5 });
    const lobby = await arena.ready();
    await arena.find({ party_size: 2 });
    expectRefusal(await arena.find({ party_size: 2 }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.find({ party_size: 64 }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.join(lobby.lobbyId, { party_size: 4 }), "MATCHMAKER_LOBBY_FULL");
    expect((await lobby.seen()).total_player_count).toBe(2);
    expect(tokensOf(await arena.join(lobby.lobbyId, { party_size: 3 }))).toHaveLength(3);
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_LOBBY_FULL");
    expect(await lobby.seen()).toMatchObject({ total_player_count: 5, reserved_count: 5, connected_count: 0 });
  });

  test("[C3] a private lobby is never found or listed, and is joined by its id", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready({ publicity: "private" });
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect((await arena.list()).json.lobbies).toEqual([]);
    expect(lobbyIdOf(await arena.join(lobby.lobbyId))).toBe(lobby.lobbyId);
    expect(await lobby.seen()).toMatchObject({ publicity: "private" });
  });

  test("[F3] the fullest lobby comes first, then the older one", async () => {
    const arena = await arenaWith({ max_players: 4 });
    const lobbies = [await arena.ready(), await arena.ready(), await arena.ready()];
    await arena.join(lobbies[1]!.lobbyId);
    const found = [];
    for (let count = 0; count < 5; count++) found.push(lobbyIdOf(await arena.find()));
    const [first, second] = lobbies.map(({ lobbyId }) => lobbyId);
    expect(found).toEqual([second, second, second, first, first]);
  });

  test("[F1] pairs are tried in the order given, modes before regions", async () => {
    const arena = await arenaWith(
      { max_players: 100, max_players_direct: 100 },
      { solo: { max_players: 50, runtime: { external: {} } } },
    );
    const here = await arena.ready();
    const there = await arena.ready({ region: "far" });
    const solo = await arena.ready({ game_mode: "solo", region: "far" });
    const order = async (body: Record<string, unknown>) => lobbyIdOf(await arena.find(body));
    expect(await order({})).toBe(here.lobbyId);
    expect(await order({ regions: [] })).toBe(here.lobbyId);
    expect(await order({ regions: ["far", "local"] })).toBe(there.lobbyId);
    expect(await order({ regions: ["nowhere", "far"] })).toBe(there.lobbyId);
    expect(await order({ game_modes: ["solo", "duel"], regions: ["local", "far"] })).toBe(solo.lobbyId);
    expect(await order({ game_modes: ["solo", "duel"], regions: ["local"] })).toBe(here.lobbyId);
  });

  test("nearest region first when a trusted proxy says where the client is", async () => {
    const arena = await arenaWith({ max_players: 50, max_players_direct: 50 });
    const here = await arena.ready();
    const there = await arena.ready({ region: "far" });
    const from = async (coordinates: string, body = {}) =>
      lobbyIdOf(await arena.find(body, { headers: { "x-foyer-coordinates": coordinates } }));
    expect(await from("-37.8,144.9")).toBe(there.lobbyId);
    expect(await from("48.8,2.3")).toBe(here.lobbyId);
    expect(await from("-37.8,144.9", { regions: ["local"] })).toBe(here.lobbyId);
    for (const unreadable of ["91,0", "0,181", "x", "1;2", "1,2,3"]) expect(await from(unreadable)).toBe(here.lobbyId);
  });

  test("what a find names must exist and allow it, every mode of it", async () => {
    const closedMode = { max_players: 2, actions: { find: { enabled: false } }, runtime: { external: {} } };
    const local = { max_players: 2, regions: ["local"], runtime: { external: {} } };
    const arena = await arenaWith({}, { shut: closedMode, home: local });
    await arena.ready();
    expectRefusal(await arena.find({ game_modes: [] }), "MATCHMAKER_NO_GAME_MODE_PROVIDED");
    for (const unknown of ["nothing", "constructor", "toString", "DUEL", "", "💥"]) {
      expectRefusal(await arena.find({ game_modes: ["duel", unknown] }), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    }
    expectRefusal(await arena.find({ game_modes: ["duel", "shut"] }), "MATCHMAKER_FIND_DISABLED");
    expectRefusal(await arena.find({ regions: ["nowhere", "constructor"] }), "MATCHMAKER_REGION_NOT_FOUND");
    expectRefusal(await arena.find({ game_modes: ["home"], regions: ["far"] }), "MATCHMAKER_REGION_NOT_FOUND");
    expectRefusal(await arena.find({ game_modes: ["duel", "home"], tags: { a: "b" } }), "MATCHMAKER_TAGS_DISABLED");
    expectRefusal(await arena.find({ max_players: 2 }), "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED");
    const [lobby] = await arena.lobbies();
    expect(lobby.total_player_count).toBe(0);
  });

  test("[J1] [J4] [J7] join knows lobbies that are unknown, stopped, or of a mode without join", async () => {
    const shut = { max_players: 2, actions: { join: { enabled: false } }, runtime: { external: {} } };
    const arena = await arenaWith({}, { shut });
    expectRefusal(await arena.join(randomUUID()), "MATCHMAKER_LOBBY_NOT_FOUND");
    const unjoinable = await arena.ready({ game_mode: "shut" });
    expectRefusal(await arena.join(unjoinable.lobbyId), "MATCHMAKER_JOIN_DISABLED");
    expect(lobbyIdOf(await arena.find({ game_modes: ["shut"] }))).toBe(unjoinable.lobbyId);
    const lobby = await arena.ready();
    await lobby.stop();
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_LOBBY_STOPPED");
    at().clock.advance(600_000);
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_LOBBY_NOT_FOUND");
  });

  test("[J5] joining a lobby one sits in already takes another seat", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const tokens = [...tokensOf(await arena.join(lobby.lobbyId)), ...tokensOf(await arena.join(lobby.lobbyId))];
    expect(new Set(tokens).size).toBe(2);
    expect((await lobby.seen()).total_player_count).toBe(2);
  });

  test("without a version nothing is found, created, listed or registered", async () => {
    const { service } = at();
    const namespace = await createNamespace(service, await createGame(service));
    const { token } = await createToken(service, namespace, "pub");
    const server = await createToken(service, namespace, "server");
    const ask = (method: string, path: string, body?: unknown, as = token) =>
      service.request(method, `/matchmaker/${path}`, { token: as, ...(body !== undefined && { body }) });
    const answers = [
      await ask("POST", "lobbies/find", { game_modes: ["duel"] }),
      await ask("POST", "lobbies/create", { game_mode: "duel" }),
      await ask("GET", "lobbies/list"),
      await ask("GET", "regions"),
      await ask("POST", "lobbies/register", { game_mode: "duel", region: "local", ports: {} }, server.token),
    ];
    for (const answer of answers) expectRefusal(answer, "MATCHMAKER_NO_VERSION_DEPLOYED");
    expectRefusal(await ask("POST", "lobbies/join", { lobby_id: randomUUID() }), "MATCHMAKER_LOBBY_NOT_FOUND");
    expectAnswer(await ask("GET", "players/statistics"), { player_count: 0, game_modes: {} });
  });
}
