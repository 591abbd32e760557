import { expect, test } from "vitest";
import {
  arenaOf,
  config,
  createArena,
  createClock,
  lobbyIdOf,
  startMatchmaker,
  tokensOf,
} from "../../support/arena.ts";
import { expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { startService, until } from "../../support/harness.ts";
import { freePort } from "../../support/services/programs.ts";
import { untilSeated } from "./players.suite.ts";

const match = { game_modes: ["match"] };

/** How waiting calls end when the service gives up, stops, or cannot start lobbies. Each test has its own service. */
export function waitingTests(): void {
  test("[S6] a call that gives up releases its seats, and keeps them for the retry when it had a key", async () => {
    const { service, runtime } = await startMatchmaker("sqlite", { findWaitS: 0 });
    const arena = await createArena(service, config({ max_players: 10, max_players_direct: 10 }));
    const calls = [
      (key?: string) => arena.find(match, key === undefined ? {} : { key }),
      (key?: string) => arena.create({}, key === undefined ? {} : { key }),
      (key?: string) => arena.join(runtime.starts[0]!.lobbyId, {}, key === undefined ? {} : { key }),
    ];
    for (const call of calls) {
      const answer = await call();
      expectRefusal(answer, "MATCHMAKER_LOBBY_NOT_READY");
      expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
      await untilSeated(arena, 0);
    }
    const before = (await arena.lobbies()).length;
    for (const [index, call] of calls.entries()) {
      expectRefusal(await call("key"), "MATCHMAKER_LOBBY_NOT_READY");
      expectRefusal(await call("key"), "MATCHMAKER_LOBBY_NOT_READY");
      await untilSeated(arena, index + 1);
    }
    // The find took a lobby that was starting already, the create made one.
    expect(await arena.lobbies()).toHaveLength(before + 1);
    for (const { lobbyId, env } of runtime.starts) await arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    const answers = await Promise.all(calls.map((call) => call("key")));
    const again = await Promise.all(calls.map((call) => call("key")));
    for (const [index, answer] of answers.entries()) expectAnswer(again[index]!, answer.json);
    expect(new Set(answers.flatMap(tokensOf)).size).toBe(3);
    await untilSeated(arena, 3);
    await service.close();
  });

  test("a service that stops answers those who wait, and after a restart a retry with the key has the same seat", async () => {
    const clock = createClock();
    const first = await startMatchmaker("sqlite", { findWaitS: 3600 }, { clock });
    const arena = await createArena(first.service, config({ max_players: 10, max_players_direct: 10 }));
    const lobby = await arena.register();
    const waiting = [arena.find(), arena.find({}, { key: "kept" }), arena.join(lobby.lobbyId, { party_size: 2 })];
    await untilSeated(arena, 4);
    const closing = first.service.close();
    for (const answer of await Promise.all(waiting)) {
      expectRefusal(answer, "MATCHMAKER_LOBBY_NOT_READY");
      expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    }
    await closing;

    const { dataDir } = first.service;
    const next = await startMatchmaker("sqlite", { findWaitS: 3600, dataDir }, { clock });
    const same = arenaOf(next.service, arena.namespace, arena);
    expect((await same.lobbies()).map((each) => each.total_player_count)).toEqual([1]);
    const retry = same.find({}, { key: "kept" });
    const server = same.lobby(lobby.lobbyId, lobby.token);
    await server.ready();
    expect(lobbyIdOf(await retry)).toBe(lobby.lobbyId);
    expect((await server.connect(tokensOf(await retry)[0]!)).status).toBe(200);
    expect(await server.seen()).toMatchObject({ connected_count: 1, reserved_count: 0 });
    await next.service.close();
  });

  test("lobbies whose servers are gone after a restart end, those that run on are kept", async () => {
    const clock = createClock();
    const first = await startMatchmaker("sqlite", {}, { clock });
    const arena = await createArena(first.service);
    const { runtime } = first;
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    const [kept, lost] = [await arena.create(), await arena.create()];
    await first.service.close();
    expect(runtime.stops).toEqual([]);
    runtime.exit(lobbyIdOf(lost));

    const next = await startMatchmaker("sqlite", { dataDir: first.service.dataDir }, { clock, runtime });
    const same = arenaOf(next.service, arena.namespace, arena);
    const seen = (answer: typeof kept) => same.lobby(lobbyIdOf(answer), "").seen();
    expect(await seen(kept)).toMatchObject({ status: "ready", reserved_count: 1 });
    await until(async () => (await seen(lost)).status === "stopped");
    expect(await seen(lost)).toMatchObject({ stop_reason: "crashed", total_player_count: 0 });
    await next.service.close();
  });

  test("no call is answered before the service has taken over the servers that still run", async () => {
    const clock = createClock();
    const { service, runtime } = await startMatchmaker("sqlite", { port: await freePort() }, { clock });
    const arena = await createArena(service);
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    await arena.create();
    await service.close();

    const { adopt } = runtime;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let isTakingBack = false;
    runtime.adopt = async (lobbyId, namespaceId) => {
      isTakingBack = true;
      await gate;
      return adopt(lobbyId, namespaceId);
    };
    const { dataDir, port } = service;
    const starting = startMatchmaker("sqlite", { dataDir, port }, { clock, runtime });
    await until(() => isTakingBack);
    await expect(arena.find(match)).rejects.toThrow(/ECONNREFUSED/);
    open();
    const next = await starting;
    const same = arenaOf(next.service, arena.namespace, arena);
    expect(lobbyIdOf(await same.find(match))).toBe(runtime.starts[0]!.lobbyId);
    await next.service.close();
  });

  test("a service that starts no programs says so, and makes no lobby", async () => {
    const clock = createClock();
    const { service: first } = await startMatchmaker("sqlite", {}, { clock });
    const known = await createArena(first);
    await first.close();
    const external = { dataDir: first.dataDir, runtimes: ["external" as const], findWaitS: 3600 };
    const service = await startService("sqlite", external, { now: clock.now });
    const arena = arenaOf(service, known.namespace, known);
    expectRefusal(await arena.find(match), "MATCHMAKER_LOBBY_START_FAILED");
    expectRefusal(await arena.create(), "MATCHMAKER_LOBBY_START_FAILED");
    const quiet = { ...match, prevent_auto_create_lobby: true };
    expectRefusal(await arena.find(quiet), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(await arena.lobbies("?include_stopped=true")).toEqual([]);
    const lobby = await arena.ready({ game_mode: "match" });
    expect(lobbyIdOf(await arena.find(match))).toBe(lobby.lobbyId);
    await service.close();
  });

  test("forwarding headers of a stranger are not believed", async () => {
    const { service } = await startMatchmaker("sqlite", { trustedProxies: [] });
    const arena = await createArena(service, config({ max_players: 50, max_players_direct: 50 }));
    await arena.limit({ max_players_per_client: 1 });
    const [here] = [await arena.ready(), await arena.ready({ region: "far" })];
    const from = { client: "192.0.2.1", headers: { "x-foyer-coordinates": "-33.9,151.2" } };
    expect(lobbyIdOf(await arena.find({}, from))).toBe(here.lobbyId);
    expectRefusal(await arena.find({}, { client: "192.0.2.2" }), "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE");
    expect((await here.seen()).players[0].client).toBe("127.0.0.1");
    await service.close();
  });

  test("[T32] finds that wait for their lobby do not block its ready call", async () => {
    const { service } = await startMatchmaker("sqlite", { maxInFlight: 4 });
    const arena = await createArena(service, config({ max_players: 8, max_players_direct: 8 }));
    const lobby = await arena.register();
    const finds = [];
    for (let seats = 1; seats <= 8; seats++) {
      finds.push(arena.find({ game_modes: ["duel"] }));
      await until(async () => (await arena.lobbies())[0].reserved_count === seats);
    }
    expectEmpty(await lobby.ready());
    expect((await Promise.all(finds)).map((answer) => answer.status)).toEqual(Array(8).fill(200));
    await service.close();
  });
}
