import { expect, onTestFinished, test } from "vitest";
import {
  type Arena,
  config,
  createArena,
  type LobbyAtHand,
  type Matchmaker,
  startMatchmaker,
  tokensOf,
} from "../../support/arena.ts";
import { listenTo } from "../../support/event-streams.ts";
import { expectRefusal } from "../../support/expectations.ts";

const resume = (arena: Arena, player_token: string, options = {}) =>
  arena.play("POST", "players/resume", { player_token }, options);
const release = (arena: Arena, player_token: string, options = {}) =>
  arena.play("POST", "players/release", { player_token }, options);

/** A lobby of an arena whose dropped players may come back for a minute, with one that has connected. */
async function playing(arena: Arena, lobby: LobbyAtHand): Promise<string> {
  const [token] = tokensOf(await arena.join(lobby.lobbyId)) as [string];
  expect((await lobby.connect(token)).json).toEqual({ player_id: expect.any(String), returned: false });
  return token;
}

export function comingBackTests(at: () => Matchmaker): void {
  /** The driver of all tests here, as it was when the test has ended. */
  function borrowRuntime() {
    const { runtime } = at();
    const { onceStarted } = runtime;
    onTestFinished(() => {
      runtime.onceStarted = onceStarted;
    });
    return runtime;
  }
  const open = (mode = {}) => createArena(at().service, config({ timeouts: { reconnect_s: 60 }, ...mode }));

  test("[CB12] a dropped player comes back with its token, and the lobby learns that it returned", async () => {
    const arena = await open();
    const lobby = await arena.ready();
    const token = await playing(arena, lobby);
    expect((await lobby.disconnect(token, true)).status).toBe(204);
    const seen = await lobby.seen();
    expect(seen).toMatchObject({ held_count: 1, connected_count: 0, total_player_count: 1 });
    expect(seen.players).toMatchObject([{ status: "held", expires_ts: expect.any(String) }]);
    expect(Date.parse(seen.players[0].expires_ts) - at().clock.now()).toBe(60_000);
    const answer = await lobby.connect(token);
    expect(answer.json).toEqual({ player_id: seen.players[0].player_id, returned: true });
    expect(await lobby.seen()).toMatchObject({ held_count: 0, connected_count: 1 });
    expectRefusal(await lobby.connect(token), "MATCHMAKER_PLAYER_ALREADY_CONNECTED");
  });

  test("[CB12] held seats count in lists and statistics, and heartbeats show them", async () => {
    const arena = await open();
    const lobby = await arena.ready();
    const token = await playing(arena, lobby);
    const other = await playing(arena, lobby);
    const { players } = await lobby.seen();
    const [first, second] = players.map(({ player_id }: { player_id: string }) => player_id) as [string, string];
    await lobby.heartbeat({ player_ids: [second] });
    expect((await lobby.heartbeat({ player_ids: [second] })).json).toEqual({
      player_ids: [second],
      players: [
        { player_id: first, is_held: true },
        { player_id: second, is_held: false },
      ].sort((a, b) => (a.player_id < b.player_id ? -1 : 1)),
      is_closed: false,
      is_closed_by_operator: false,
      is_outdated: false,
      heartbeat_s: 0,
      reconnect_s: 60,
    });
    expect((await arena.list()).json.lobbies).toMatchObject([{ total_player_count: 2 }]);
    expect((await arena.play("GET", "players/statistics")).json.player_count).toBe(2);
    await lobby.disconnect(token);
    await lobby.disconnect(other, false);
    expect(await lobby.seen()).toMatchObject({ total_player_count: 0, held_count: 0 });
  });

  test("[CB12] operators see holds and returns as events, and how a seat ended", async () => {
    const arena = await open();
    const lobby = await arena.ready();
    const token = await playing(arena, lobby);
    const { service } = at();
    const listener = await listenTo(service, `${arena.namespace.path}/events`, { token: service.adminToken });
    await lobby.disconnect(token, true);
    await lobby.connect(token);
    await lobby.disconnect(token, true);
    at().clock.advance(60_000);
    expectRefusal(await lobby.connect(token), "MATCHMAKER_PLAYER_REMOVED");
    const events = await listener.first(4);
    expect(events.map(({ event, data }) => [event, data.status])).toEqual([
      ["player.held", "held"],
      ["player.returned", "connected"],
      ["player.held", "held"],
      ["player.left", "not_returned"],
    ]);
    listener.leave();
  });

  test("[CB13] resume answers where the lobby is while the seat is taken, and changes nothing", async () => {
    const arena = await open();
    const lobby = await arena.ready();
    const joined = await arena.join(lobby.lobbyId, { party_size: 2 });
    const [token] = tokensOf(joined) as [string, string];
    const expected = { ...joined.json, players: joined.json.players.slice(0, 1) };
    const before = await lobby.seen();
    expect((await resume(arena, token)).json).toEqual(expected);
    expect((await resume(arena, token, { token: arena.server })).json).toEqual(expected);
    await lobby.connect(token);
    expect((await resume(arena, token)).json).toEqual(expected);
    await lobby.disconnect(token, true);
    expect((await resume(arena, token)).json).toEqual(expected);
    const after = await lobby.seen();
    expect(after.players[1]).toEqual(before.players[1]);
    expect(after).toMatchObject({ held_count: 1, reserved_count: 1 });
  });

  test("[CB13] resume of an ended seat says how it ended", async () => {
    const arena = await open();
    const lobby = await arena.ready();
    const [expired] = tokensOf(await arena.join(lobby.lobbyId)) as [string];
    at().clock.advance(120_000);
    const left = await playing(arena, lobby);
    await lobby.disconnect(left);
    const playsOn = await playing(arena, lobby);
    expectRefusal(await resume(arena, expired), "MATCHMAKER_PLAYER_RESERVATION_EXPIRED");
    expectRefusal(await resume(arena, left), "MATCHMAKER_PLAYER_REMOVED");
    await lobby.stop();
    expectRefusal(await resume(arena, expired), "MATCHMAKER_PLAYER_RESERVATION_EXPIRED");
    expectRefusal(await resume(arena, left), "MATCHMAKER_LOBBY_STOPPED");
    expectRefusal(await resume(arena, playsOn), "MATCHMAKER_LOBBY_STOPPED");
    at().clock.advance(600_000);
    for (const token of [expired, left, playsOn])
      expectRefusal(await resume(arena, token), "MATCHMAKER_PLAYER_REMOVED");
  });

  test("[CB13] [CB14] a token of another namespace, and what is no player token, is 404 for resume and release", async () => {
    const [arena, other] = [await open(), await open()];
    const foreign = await playing(other, await other.ready());
    const lobby = await arena.ready();
    for (const token of [foreign, lobby.token, arena.pub, "player_x"]) {
      expectRefusal(await resume(arena, token), "MATCHMAKER_PLAYER_NOT_FOUND");
      expectRefusal(await release(arena, token), "MATCHMAKER_PLAYER_NOT_FOUND");
    }
    const blocked = { client: "192.0.2.66" };
    await at().service.admin("PUT", `${arena.namespace.path}/blocks`, blocked);
    const own = await playing(arena, lobby);
    expectRefusal(await resume(arena, own, blocked), "MATCHMAKER_CLIENT_BLOCKED");
  });

  test("[CB14] release ends a reserved or held seat of one player, not a connected one", async () => {
    const arena = await open();
    const lobby = await arena.ready();
    const [held, connected, reserved] = tokensOf(await arena.join(lobby.lobbyId, { party_size: 3 }));
    await lobby.connect(held!);
    await lobby.connect(connected!);
    await lobby.disconnect(held!, true);
    expectRefusal(await release(arena, connected!), "MATCHMAKER_PLAYER_ALREADY_CONNECTED");
    for (const token of [held!, reserved!, held!]) expect((await release(arena, token)).status).toBe(204);
    expect(await lobby.seen()).toMatchObject({ held_count: 0, reserved_count: 0, connected_count: 1 });
    expectRefusal(await lobby.connect(held!), "MATCHMAKER_PLAYER_REMOVED");
    await lobby.stop();
    expect((await release(arena, connected!, { token: arena.server })).status).toBe(204);
    at().clock.advance(600_000);
    expect((await release(arena, connected!)).status).toBe(204);
  });

  test("[CB15] lobbies learn their times when they register, in heartbeats and in the environment", async () => {
    const arena = await open({ timeouts: { reconnect_s: 45, heartbeat_s: 20 } });
    const register = {
      game_mode: "duel",
      region: "local",
      ports: { default: { hostname: "a.example", port: 1, is_tls: false } },
    };
    const answer = await arena.play("POST", "lobbies/register", register, { token: arena.server });
    expect(answer.json).toMatchObject({ heartbeat_s: 20, reconnect_s: 45 });
    const runtime = borrowRuntime();
    const started = new Promise<Readonly<Record<string, string>>>((resolve) => {
      runtime.onceStarted = async ({ lobbyId, env }) => {
        await arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
        resolve(env);
      };
    });
    await arena.create();
    expect(await started).toMatchObject({ FOYER_HEARTBEAT_S: "20", FOYER_RECONNECT_S: "45" });
  });

  test("[CB16] a registered lobby has a heartbeat period of 30 s unless the version says a number, one that Foyer runs has none", async () => {
    const modes = (timeouts: object) => ({
      regions: { local: {} },
      game_modes: {
        duel: { max_players: 2, timeouts, runtime: { external: {} } },
        match: { max_players: 2, timeouts, runtime: { process: { command: "node" } } },
      },
    });
    const periods = async (timeouts: object) => {
      const arena = await createArena(at().service, modes(timeouts));
      const found: number[] = [];
      for (const game_mode of ["duel", "match"]) {
        const lobby = await arena.ready({ game_mode });
        found.push((await lobby.heartbeat()).json.heartbeat_s);
      }
      return found;
    };
    expect(await periods({})).toEqual([30, 30]);
    expect(await periods({ heartbeat_s: 0 })).toEqual([0, 0]);
    expect(await periods({ heartbeat_s: 7 })).toEqual([7, 7]);
    const arena = await createArena(at().service, modes({}));
    const runtime = borrowRuntime();
    const started = new Promise<string | undefined>((resolve) => {
      runtime.onceStarted = async ({ lobbyId, env }) => {
        await arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
        resolve(env.FOYER_HEARTBEAT_S);
      };
    });
    await arena.find({ game_modes: ["match"] });
    expect(await started).toBe("30");
  });
}

/** With a wait of its own, so that no test waits for an hour. */
export function comingBackWaitingTests(): void {
  test("[CB13] in a starting lobby resume waits like find, and releases nothing when it gives up", async () => {
    const { service } = await startMatchmaker("sqlite", { findWaitS: 1 });
    const arena = await createArena(service, config({ timeouts: { reconnect_s: 60 } }));
    const lobby = await arena.register();
    const joining = arena.join(lobby.lobbyId, {}, { key: "k" });
    expectRefusal(await joining, "MATCHMAKER_LOBBY_NOT_READY");
    const [seat] = (await lobby.seen()).players;
    const { namespaceId } = arena.namespace;
    const tokenOf = (lobbyId: string, playerId: string) =>
      service.derive({ kind: "player", namespaceId, lobbyId, playerId });
    const token = tokenOf(lobby.lobbyId, seat.player_id);
    expectRefusal(await resume(arena, token), "MATCHMAKER_LOBBY_NOT_READY");
    expect((await lobby.seen()).players).toEqual([seat]);
    const waiting = resume(arena, token);
    await lobby.ready();
    expect((await waiting).json.lobby.lobby_id).toBe(lobby.lobbyId);
    const another = await arena.register();
    await arena.join(another.lobbyId, {}, { key: "l" });
    const [later] = (await another.seen()).players;
    const failing = resume(arena, tokenOf(another.lobbyId, later.player_id));
    await another.stop();
    expectRefusal(await failing, "MATCHMAKER_LOBBY_START_FAILED");
    await service.close();
  });
}
