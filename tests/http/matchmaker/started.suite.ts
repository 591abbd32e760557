import { expect, test } from "vitest";
import { type Arena, config, type LobbyAtHand, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { until } from "../../support/harness.ts";
import { openRaw } from "../../support/raw.ts";
import { startedLobbies } from "../../support/started-lobbies.ts";
import { untilSeated } from "./players.suite.ts";

const match = { game_modes: ["match"] };

/** Lobbies that Foyer starts: finds wait for them, warm pools are kept, empty ones end. */
export function startedTests(at: () => Matchmaker): void {
  const { arenaWith, startsIn, started, readyAtOnce } = startedLobbies(at);

  test("[F8] [C1] a find without a fit starts one lobby, waits, and is answered when it is ready", async () => {
    const arena = await arenaWith();
    const waiting = arena.find({ ...match, tags: { map: "ice" } });
    const lobby = await started(arena);
    expect(await lobby.seen()).toMatchObject({ status: "starting", reserved_count: 1, runtime: "process" });
    expectEmpty(await lobby.ready());
    const answer = await waiting;
    const host = "127.0.0.1:20000";
    const ports = { default: { hostname: "127.0.0.1", host, port: 20_000, is_tls: false, url: `ws://${host}` } };
    expect(answer.json).toMatchObject({ lobby: { lobby_id: lobby.lobbyId, ports }, ports });
    expect((await lobby.connect(tokensOf(answer)[0]!)).status).toBe(200);
    expect(startsIn(arena)).toHaveLength(1);
  });

  test("a lobby server gets the variables of the contract and nothing else", async () => {
    const ports = { game: { protocol: "udp" }, "web-socket": { protocol: "wss" } };
    const arena = await arenaWith({ ports, allow_dynamic_max_players: true });
    const lobby_config = { map: ["ice", null], ü: 1 };
    const waiting = arena.create({ region: "far", tags: { b: "2", a: "1" }, max_players: 3, lobby_config });
    const lobby = await started(arena);
    const [start] = startsIn(arena);
    const { service } = at();
    expect(start).toEqual({
      lobbyId: lobby.lobbyId,
      namespaceId: arena.namespace.namespaceId,
      program: { kind: "process", command: "node", args: ["server.js"], cwd: "game" },
      ports,
      env: {
        MODE: "test",
        FOYER_TOKEN: expect.stringMatching(/^lobby_/),
        FOYER_API_ENDPOINT: service.url,
        FOYER_LOBBY_ID: lobby.lobbyId,
        FOYER_GAME_ID: arena.namespace.game.gameId,
        FOYER_NAMESPACE_ID: arena.namespace.namespaceId,
        FOYER_NAMESPACE_NAME: arena.namespace.nameId,
        FOYER_VERSION_ID: arena.versionId,
        FOYER_GAME_MODE: "match",
        FOYER_REGION: "far",
        FOYER_MAX_PLAYERS: "3",
        FOYER_MAX_PLAYERS_DIRECT: "3",
        FOYER_HEARTBEAT_S: "0",
        FOYER_RECONNECT_S: "0",
        FOYER_LOBBY_TAGS: expect.any(String),
        FOYER_LOBBY_CONFIG: expect.any(String),
      },
    });
    expect(JSON.parse(start!.env.FOYER_LOBBY_TAGS!)).toEqual({ a: "1", b: "2" });
    expect(JSON.parse(start!.env.FOYER_LOBBY_CONFIG!)).toEqual(lobby_config);
    await lobby.ready();
    expect((await waiting).json.ports).toEqual({
      game: { hostname: "127.0.0.1", host: "127.0.0.1:20000", port: 20_000, is_tls: false },
      "web-socket": {
        hostname: "127.0.0.1",
        host: "127.0.0.1:20001",
        port: 20_001,
        is_tls: true,
        url: "wss://127.0.0.1:20001",
      },
    });
  });

  test("a lobby that is ready before its driver has reported the ports is answered with them", async () => {
    const arena = await arenaWith();
    at().runtime.whileStarting = async ({ lobbyId, env }) => {
      await arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    };
    const answer = await arena.find(match);
    expect(answer.json.ports).toHaveProperty("default.port", 20_000);
  });

  test("[14] a burst of finds starts one lobby, and N finds of capacity c start ⌈N/c⌉", async () => {
    const arena = await arenaWith({ max_players: 8, max_players_direct: 8 });
    const count = 61;
    const finds = Array.from({ length: count }, () => arena.find(match));
    await untilSeated(arena, count);
    readyAtOnce(arena);
    await until(() => startsIn(arena).length === 8);
    for (let index = 0; index < 8; index++) await (await started(arena, index)).ready();
    const answers = await Promise.all(finds);
    const perLobby = new Map<string, number>();
    for (const answer of answers) perLobby.set(lobbyIdOf(answer), (perLobby.get(lobbyIdOf(answer)) ?? 0) + 1);
    expect([...perLobby.values()].sort()).toEqual([5, 8, 8, 8, 8, 8, 8, 8]);
    expect(new Set(answers.flatMap(tokensOf)).size).toBe(count);
    expect(startsIn(arena)).toHaveLength(8);
  });

  const ends: [title: string, end: (lobby: LobbyAtHand) => unknown, reason: string, exitCode: number | null][] = [
    ["its server crashes", ({ lobbyId }) => at().runtime.exit(lobbyId, { code: 7, signal: null }), "crashed", 7],
    ["it stops itself", (lobby) => lobby.stop(), "self", null],
  ];
  test.each(ends)(
    "[12] [R4] waiting calls are answered when %s before it is ready",
    async (_title, end, reason, exitCode) => {
      const arena = await arenaWith();
      const first = arena.find(match);
      const lobby = await started(arena);
      const second = arena.find({ ...match, party_size: 1 });
      // One after the other: with the party in it the lobby would be too full for another find.
      await untilSeated(arena, 2);
      const others = [second, arena.join(lobby.lobbyId, { party_size: 2 })];
      await untilSeated(arena, 4);
      const creating = arena.create();
      const created = await started(arena, 1);
      await end(lobby);
      await end(created);
      for (const answer of await Promise.all([first, ...others, creating])) {
        expectRefusal(answer, "MATCHMAKER_LOBBY_START_FAILED");
        expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      }
      const seen = { status: "stopped", stop_reason: reason, exit_code: exitCode, total_player_count: 0 };
      expect(await lobby.seen()).toMatchObject(seen);
      expectRefusal(await lobby.ready(), "MATCHMAKER_LOBBY_STOPPED");
    },
  );

  test("waiting calls are answered when the lobby cannot start, is not ready in time, or an operator stops it", async () => {
    const arena = await arenaWith({ timeouts: { ready_s: 60 } });
    at().runtime.whileStarting = () => Promise.reject(new Error("no such program"));
    expectRefusal(await arena.find(match), "MATCHMAKER_LOBBY_START_FAILED");
    const [failed] = await arena.lobbies("?include_stopped=true");
    expect(failed).toMatchObject({ status: "stopped", stop_reason: "start_failed" });

    at().runtime.whileStarting = async () => {};
    const waiting = arena.find(match);
    const late = await started(arena, 1);
    at().clock.advance(60_000);
    expectRefusal(await waiting, "MATCHMAKER_LOBBY_START_FAILED");
    expect(await late.seen()).toMatchObject({ stop_reason: "not_ready" });
    await until(() => at().runtime.stops.includes(late.lobbyId));

    const again = arena.find(match);
    const lobby = await started(arena, 2);
    await at().service.admin("DELETE", `${arena.namespace.path}/lobbies/${lobby.lobbyId}`);
    expectRefusal(await again, "MATCHMAKER_LOBBY_START_FAILED");
    await until(() => at().runtime.stops.includes(lobby.lobbyId));
  });

  test("[S6] the seat of a client that disconnects while it waits is released, but not with a key", async () => {
    const arena = await arenaWith();
    const lobby = await arena.register({ max_players: 4 });
    const kept = await startFind(arena, "kept-key");
    await untilSeated(arena, 1);
    const gone = await startFind(arena);
    await untilSeated(arena, 2);
    gone.destroy();
    await untilSeated(arena, 1);
    kept.destroy();
    const retry = arena.find({}, { key: "kept-key" });
    const another = arena.find();
    await untilSeated(arena, 2);
    await lobby.ready();
    expect(new Set([...tokensOf(await retry), ...tokensOf(await another)]).size).toBe(2);
    expect(await lobby.seen()).toMatchObject({ reserved_count: 2 });
  });

  test("[S6] the seats of clients that disconnect right after the request are released as well", async () => {
    const arena = await arenaWith({ max_players: 100, max_players_direct: 100 });
    const lobby = await arena.register();
    for (let round = 0; round < 8; round++) {
      const connections = await Promise.all(Array.from({ length: 8 }, () => startFind(arena)));
      for (const connection of connections) connection.destroy();
    }
    const last = arena.find({}, { key: "last" });
    await until(async () => (await lobby.seen()).players.length === 1);
    await lobby.ready();
    expect(lobbyIdOf(await last)).toBe(lobby.lobbyId);
  });

  function findRequest(arena: Arena, key?: string): string {
    const body = JSON.stringify({ game_modes: ["duel"] });
    const lines = [
      "POST /matchmaker/lobbies/find HTTP/1.1",
      "host: localhost",
      "content-type: application/json",
      `content-length: ${body.length}`,
      `authorization: Bearer ${arena.pub}`,
      ...(key === undefined ? [] : [`idempotency-key: ${key}`]),
    ];
    return `${lines.join("\r\n")}\r\n\r\n${body}`;
  }

  async function startFind(arena: Arena, key?: string) {
    const connection = await openRaw(at().service.port);
    connection.write(findRequest(arena, key));
    return connection;
  }

  test("[S6] [T40] a pipelined find takes no seat, and the first releases its own", async () => {
    const arena = await arenaWith();
    const lobby = await arena.register();
    const connection = await startFind(arena);
    connection.write(findRequest(arena));
    const other = await startFind(arena);
    await untilSeated(arena, 2);
    connection.destroy();
    await until(async () => (await lobby.seen()).total_player_count === 1);
    other.destroy();
    await until(async () => (await lobby.seen()).total_player_count === 0);
  });

  test.each([false, 0, "", [], {}])("a lobby_config may be %j", async (lobby_config) => {
    const arena = await arenaWith();
    readyAtOnce(arena);
    await arena.create({ lobby_config });
    expect(startsIn(arena)[0]?.env.FOYER_LOBBY_CONFIG).toBe(JSON.stringify(lobby_config));
  });

  test("without a lobby_config the variable is not there", async () => {
    const arena = await arenaWith();
    readyAtOnce(arena);
    await arena.create({ lobby_config: null });
    await arena.create();
    for (const { env } of startsIn(arena)) expect(env).not.toHaveProperty("FOYER_LOBBY_CONFIG");
    expect((await arena.create({ lobby_config: "x".repeat(16 * 1024 - 2) })).status).toBe(200);
  });

  test("[W1] [W3] a warm pool is filled, found first, and filled again after a find, a crash and a deploy", async () => {
    const warm = { max_players: 2, idle_lobbies: { min: 2 }, regions: ["local"] };
    const arena = await arenaWith(warm);
    await until(() => startsIn(arena).length === 2);
    // Of those made at one moment the smaller id is found first, whichever was started first.
    const made = [await started(arena, 0), await started(arena, 1)];
    const [first, second] = made.sort((a, b) => (a.lobbyId < b.lobbyId ? -1 : 1)) as [LobbyAtHand, LobbyAtHand];
    for (const lobby of [first, second]) await lobby.ready();
    expect(lobbyIdOf(await arena.find(match))).toBe(first.lobbyId);
    const third = await started(arena, 2);
    await third.ready();

    at().runtime.exit(second.lobbyId);
    const fourth = await started(arena, 3);
    await fourth.ready();
    const alive = async () => (await arena.lobbies()).map(({ lobby_id }) => lobby_id);
    expect(await alive()).toEqual([first, third, fourth].map(({ lobbyId }) => lobbyId));

    await arena.deploy(config(warm));
    await until(() => startsIn(arena).length === 6);
    expect(await alive()).toEqual([
      first.lobbyId,
      ...startsIn(arena)
        .slice(4)
        .map(({ lobbyId }) => lobbyId)
        .sort(),
    ]);
    await until(() => [third, fourth].every(({ lobbyId }) => at().runtime.stops.includes(lobbyId)));
  });

  test("[W7] a warm pool stays below lobby_count_max", async () => {
    const arena = await arenaWith();
    await arena.limit({ lobby_count_max: 3 });
    await arena.deploy(config({ idle_lobbies: { min: 5 }, regions: ["local"] }));
    await until(() => startsIn(arena).length === 3);
    expectRefusal(await arena.create(), "MATCHMAKER_TOO_MANY_LOBBIES");
    expect(await arena.lobbies()).toHaveLength(3);
  });

  test("[ST3] an empty lobby ends after its time, and its server with it", async () => {
    const arena = await arenaWith();
    readyAtOnce(arena);
    const [token] = tokensOf(await arena.find(match)) as [string];
    const lobby = await started(arena);
    await lobby.connect(token);
    at().clock.advance(3_600_000);
    expect(await lobby.seen()).toMatchObject({ status: "ready", connected_count: 1 });
    await lobby.disconnect(token);
    at().clock.advance(29_999);
    expect(await lobby.seen()).toMatchObject({ status: "ready" });
    at().clock.advance(1);
    await until(() => at().runtime.stops.includes(lobby.lobbyId));
    expect(await lobby.seen()).toMatchObject({ status: "stopped", stop_reason: "empty" });
  });

  test("[DP2] a deploy ends empty lobbies at once, others with their last player; waiting finds keep theirs", async () => {
    const arena = await arenaWith();
    const full = arena.find({ ...match, party_size: 2 });
    const busy = await started(arena);
    await busy.ready();
    const tokens = tokensOf(await full);
    const waiting = arena.find(match);
    const starting = await started(arena, 1);
    await arena.deploy(config());
    await starting.ready();
    const [last] = tokensOf(await waiting) as [string];
    expect(lobbyIdOf(await waiting)).toBe(starting.lobbyId);
    for (const token of [...tokens]) await busy.connect(token);
    for (const token of tokens) await busy.disconnect(token);
    expect(await busy.seen()).toMatchObject({ status: "stopped", stop_reason: "outdated" });
    expect(await starting.seen()).toMatchObject({ status: "ready", is_outdated: true });
    await starting.disconnect(last);
    expect(await starting.seen()).toMatchObject({ status: "stopped", stop_reason: "outdated" });
    await until(() => [busy, starting].every(({ lobbyId }) => at().runtime.stops.includes(lobbyId)));
  });
}
