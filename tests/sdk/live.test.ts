import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { createSdkWorld, createStorage, params, type SdkWorld } from "./sdk-world.ts";

let world: SdkWorld;

beforeAll(async () => {
  world = await createSdkWorld();
});

afterAll(() => world?.close());

test("[SK4] a player finds a lobby, is admitted once, leaves, and comes back to the same seat", async () => {
  const lobby = await world.lobby();
  await lobby.ready();
  const storage = createStorage();
  const matchmaker = world.matchmaker({ storage });
  const seat = await matchmaker.find("duel");
  expect(seat.lobby.lobby_id).toBe(lobby.id);

  const player = await lobby.admit(seat.player.token);
  expect(player).toMatchObject({ playerId: seat.players[0]!.player_id, key: null, returned: false });
  await lobby.leave(player, { mayReturn: true });
  expect(lobby.players()).toEqual([]);

  const resumed = await matchmaker.resume();
  expect(resumed?.player.token).toBe(seat.player.token);
  const back = await lobby.admit(seat.player.token);
  expect(back).toMatchObject({ playerId: player.playerId, returned: true });
  await lobby.leave(back);
  expect(await matchmaker.resume()).toBeNull();
  expect(storage.kept.size).toBe(0);
  await lobby.stop();
});

test("[SK4] a newer connection of a player replaces the older one, whose leaving then changes nothing", async () => {
  const lobby = await world.lobby();
  await lobby.ready();
  const seat = await world.matchmaker().join(lobby.id);
  const older = await lobby.admit(seat.player.token);
  const newer = await lobby.admit(seat.player.token);
  expect([older.signal.aborted, newer.signal.aborted]).toEqual([true, false]);
  await lobby.leave(older);
  expect(lobby.players()).toEqual([newer]);
  const { lobby: seen } = await world.admin.games.namespaces.lobbies.get(...params, lobby.id);
  expect(seen.players).toMatchObject([{ player_id: newer.playerId, status: "connected" }]);
  await lobby.stop();
});

test("[SK4] a player whom a restarted server no longer has comes back to the seat", async () => {
  const lobby = await world.lobby();
  await lobby.ready();
  const seat = await world.matchmaker().join(lobby.id);
  const player = await lobby.admit(seat.player.token);
  const restarted = lobby.restart();
  const back = await restarted.admit(seat.player.token);
  expect(back).toMatchObject({ playerId: player.playerId, returned: true });
  await restarted.stop();
});

test("[SK4] leaving and coming back at the same time end in the order of the calls", async () => {
  const lobby = await world.lobby();
  await lobby.ready();
  const seat = await world.matchmaker().join(lobby.id);
  const player = await lobby.admit(seat.player.token);
  const [, back] = await Promise.all([lobby.leave(player, { mayReturn: true }), lobby.admit(seat.player.token)]);
  expect(back.returned).toBe(true);
  const { lobby: seen } = await world.admin.games.namespaces.lobbies.get(...params, lobby.id);
  expect(seen.players).toMatchObject([{ player_id: player.playerId, status: "connected" }]);
  await lobby.stop();
});

test("[SK4] a token that is not valid here is refused with Foyer's code", async () => {
  const [here, there] = [await world.lobby(), await world.lobby()];
  await Promise.all([here.ready(), there.ready()]);
  const seat = await world.matchmaker().join(there.id);
  await expect(here.admit(seat.player.token)).rejects.toMatchObject({ code: "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY" });
  await expect(here.admit("player_nonsense")).rejects.toMatchObject({ code: "MATCHMAKER_PLAYER_NOT_FOUND" });
  await Promise.all([here.stop(), there.stop()]);
});

test("[SK5] heartbeats name the players, and report what an operator, a deploy or a stop did", async () => {
  const told: string[] = [];
  const lobby = await world.lobby({
    heartbeatMs: 50,
    onClosed: (isClosed) => told.push(isClosed ? "closed" : "open"),
    onOutdated: () => told.push("outdated"),
    onStopping: (reason) => void told.push(reason),
  });
  await lobby.ready();
  await world.admin.games.namespaces.lobbies.setClosed(...params, lobby.id, { is_closed: true });
  await until(async () => told.includes("closed"));
  await world.admin.games.namespaces.lobbies.setClosed(...params, lobby.id, { is_closed: false });
  await until(async () => told.includes("open"));
  await world.admin.games.namespaces.lobbies.stop(...params, lobby.id);
  await until(async () => told.includes("stopped_by_foyer"));
  expect(told).toEqual(["closed", "open", "stopped_by_foyer"]);
});

test("[SK5] a deploy makes the lobby outdated, and a rollback does not report it again", async () => {
  let count = 0;
  const lobby = await world.lobby({ heartbeatMs: 50, onOutdated: () => void count++ });
  await lobby.ready();
  const { namespaces, versions } = world.admin.games;
  const { namespace } = await namespaces.getGameNamespace(...params);
  const { version } = await versions.getGameVersion("chess", namespace.version_id!);
  const { version_id } = await versions.createGameVersion("chess", { display_name: "2", config: version.config });
  await namespaces.updateGameNamespaceVersion(...params, { version_id });
  await until(async () => count === 1);
  await namespaces.updateGameNamespaceVersion(...params, { version_id: namespace.version_id! });
  await lobby.stop();
  expect(count).toBe(1);
});

test("[SK5] the connection of a player whose seat Foyer has ended is ended too", async () => {
  const lobby = await world.lobby({ heartbeatMs: 50 });
  await lobby.ready();
  const seat = await world.matchmaker().join(lobby.id);
  const player = await lobby.admit(seat.player.token);
  const { blocks } = world.admin.games.namespaces;
  await blocks.set(...params, { client: "127.0.0.1", end_seats: true });
  await until(async () => player.signal.aborted);
  await blocks.remove(...params, { client: "127.0.0.1" });
  expect({ reason: player.signal.reason, players: lobby.players() }).toEqual({ reason: "removed", players: [] });
  await lobby.stop();
});

test("[SK5] a held seat that ends is reported once, and one whose player came back is not", async () => {
  const ended: string[] = [];
  const lobby = await world.lobby({ heartbeatMs: 20, onSeatEnded: (playerId) => ended.push(playerId) });
  await lobby.ready();
  const seats = [await world.matchmaker().join(lobby.id), await world.matchmaker().join(lobby.id)];
  const players = await Promise.all(seats.map((seat) => lobby.admit(seat.player.token)));
  for (const player of players) await lobby.leave(player, { mayReturn: true });
  await lobby.admit(seats[0]!.player.token);
  const whileHeld = lobby.heartbeats();
  await until(async () => lobby.heartbeats() > whileHeld + 2);
  expect(ended).toEqual([]);
  await world.matchmaker().release(seats[1]!.player.token);
  const afterwards = lobby.heartbeats();
  await until(async () => lobby.heartbeats() > afterwards + 3);
  expect(ended).toEqual([players[1]!.playerId]);
  await lobby.stop();
});

test("[SK6] a forgotten seat is not resumed, and stays taken", async () => {
  const lobby = await world.lobby();
  await lobby.ready();
  const storage = createStorage();
  const matchmaker = world.matchmaker({ storage });
  const seat = await matchmaker.join(lobby.id);
  matchmaker.forget();
  expect([storage.kept.size, await matchmaker.resume()]).toEqual([0, null]);
  expect((await matchmaker.resume(seat.player.token))?.lobby.lobby_id).toBe(lobby.id);
  await lobby.stop();
});

test("[SK5] the heartbeats of a server keep its players connected", async () => {
  const lobby = await world.lobby({ heartbeatMs: 20 });
  await lobby.ready();
  const seats = [await world.matchmaker().join(lobby.id), await world.matchmaker().join(lobby.id)];
  const player = await lobby.admit(seats[0]!.player.token);
  await lobby.admit(seats[1]!.player.token);
  await lobby.leave(player, { mayReturn: true });
  const statuses = async () => {
    const { lobby: seen } = await world.admin.games.namespaces.lobbies.get(...params, lobby.id);
    return seen.players.map(({ status }) => status).sort();
  };
  const before = lobby.heartbeats();
  await until(async () => lobby.heartbeats() > before + 3);
  expect(await statuses()).toEqual(["connected", "held"]);
  await lobby.stop();
});

test("[SK5] heartbeats go on after several that failed, and each failure is reported", async () => {
  let failures = 3;
  const failing: typeof fetch = (url, init) =>
    String(url).endsWith("/heartbeat") && failures-- > 0
      ? Promise.reject(new TypeError("The connection was refused."))
      : fetch(url, init);
  let isClosed = false;
  const errors: unknown[] = [];
  const lobby = await world.lobby({
    ...{ heartbeatMs: 20, fetch: failing },
    onError: (error) => errors.push(error),
    onClosed: (closed) => (isClosed = closed),
  });
  await lobby.ready();
  await until(async () => failures < 0);
  await world.admin.games.namespaces.lobbies.setClosed(...params, lobby.id, { is_closed: true });
  await until(async () => isClosed);
  expect(errors).toHaveLength(3);
  await lobby.stop();
});

test("[SK5] a closed lobby is not found, and is joined by its code", async () => {
  const lobby = await world.lobby();
  await lobby.ready();
  await lobby.close();
  const matchmaker = world.matchmaker();
  await expect(matchmaker.find("duel")).rejects.toMatchObject({ code: "MATCHMAKER_NO_AVAILABLE_LOBBIES" });
  const { lobby: joined } = await matchmaker.join(lobby.id);
  const code = joined.code!;
  const friend = await matchmaker.join(`${code.slice(0, 3)}-${code.slice(3)}`.toLowerCase());
  expect(friend.lobby.lobby_id).toBe(lobby.id);
  await Promise.all([lobby.open(), lobby.close(), lobby.open()]);
  expect((await matchmaker.find("duel")).lobby.lobby_id).toBe(lobby.id);
  await lobby.stop();
});

test("[SK6] a list is one page when awaited and all of it in a loop; a watch yields the list as it changes", async () => {
  const lobbies = [await world.lobby(), await world.lobby(), await world.lobby()];
  await Promise.all(lobbies.map((lobby) => lobby.ready()));
  const matchmaker = world.matchmaker();
  const page = await matchmaker.list({ limit: 2 });
  expect(page.lobbies).toHaveLength(2);
  const all: string[] = [];
  for await (const { lobby_id } of matchmaker.list({ limit: 2 })) all.push(lobby_id);
  expect(all.sort()).toEqual(lobbies.map(({ id }) => id).sort());

  const controller = new AbortController();
  const sizes: number[] = [];
  for await (const list of matchmaker.watchLobbies({}, { signal: controller.signal })) {
    sizes.push(list.length);
    if (list.length === 3) await lobbies[0]!.stop();
    if (list.length === 2) controller.abort();
  }
  expect(sizes).toEqual([3, 2]);
  for (const lobby of lobbies) await lobby.stop();
});

test("[SK6] a watch that breaks is opened again, with a new snapshot", async () => {
  const lobby = await world.lobby();
  await lobby.ready();
  let opened = 0;
  const breaking: typeof fetch = (url, init) => {
    const event = `event: snapshot\ndata: {"event":"snapshot","lobbies":[],"is_truncated":false}\n\n`;
    return opened++ === 0 ? Promise.resolve(new Response(event)) : fetch(url, init);
  };
  const lists: number[] = [];
  for await (const list of world.matchmaker({ fetch: breaking }).watchLobbies()) {
    lists.push(list.length);
    if (lists.length === 2) break;
  }
  expect(lists).toEqual([0, 1]);
  await lobby.stop();
});

test("[SK6] a watch that Foyer refuses ends with the refusal", async () => {
  const wrong = world.matchmaker({ token: "pub_wrong" }).watchLobbies();
  await expect(wrong[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "TOKEN_INVALID" });
});

test("[SK6] regions come nearest first; those without a ping address last", async () => {
  const regions = await world.matchmaker().regionsByLatency();
  expect(regions.map(({ region_id }) => region_id)).toEqual(["local", "far"]);
  expect(regions[0]!.latencyMs).toBeGreaterThan(0);
  expect(regions[1]!.latencyMs).toBeNull();
});
