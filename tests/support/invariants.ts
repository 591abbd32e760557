import {
  addOrdered,
  createOrderedSet,
  firstOrdered,
  type OrderedSet,
  orderedItems,
} from "../../src/matchmaker/ordered-set.ts";
import { pairKey } from "../../src/matchmaker/pair.ts";
import { addToPool, createPool } from "../../src/matchmaker/pools.ts";
import { isLiving, isTaken, type Lobby, type Player, type Pool, takenSeats } from "../../src/matchmaker/records.ts";
import type { State } from "../../src/matchmaker/state.ts";
import { computeDueAt } from "../../src/matchmaker/timers.ts";
import { allRecords } from "./state-hash.ts";

/**
 * What must be true of any state at rest: every count, index and deadline is worked out again from lobbies and players
 * and compared with what the state kept. Returns what is wrong, in words; nothing, if all is well.
 */
export function checkInvariants(state: State): string[] {
  const violations: string[] = [];
  const expect = (isTrue: boolean, violation: string) => {
    if (!isTrue) violations.push(violation);
  };
  checkSeats(state, expect);
  checkLobbies(state, expect);
  checkCounts(state, expect);
  checkPools(state, expect);
  checkTimers(state, expect);
  checkKeys(state, expect);
  expect(state.changed.size === 0 && state.events.length === 0, "changes or events were left behind by a command");
  return violations;
}

type Expect = (isTrue: boolean, violation: string) => void;

function checkSeats(state: State, expect: Expect): void {
  for (const player of state.players.values()) {
    const name = `player ${player.id}`;
    const lobby = state.lobbies.get(player.lobbyId);
    if (isTaken(player)) {
      expect(lobby !== undefined && isLiving(lobby), `${name} has a seat in a lobby that does not live`);
      expect(lobby?.players[player.slot] === player, `${name} is not where it should be among its lobby's players`);
    } else {
      expect(player.slot === -1, `${name} has ended but still has a place`);
    }
    expect(
      (player.endedAt !== null) === !isTaken(player),
      `${name} is ${player.status} with endedAt ${player.endedAt}`,
    );
    expect(player.status !== "connected" || player.connectedAt !== null, `${name} is connected since never`);
    expect(player.status !== "held" || player.heldAt !== null, `${name} is held since never`);
    expect(player.status !== "held" || player.dueAt !== Infinity, `${name} is held for ever`);
    expect(player.heldAt === null || player.connectedAt !== null, `${name} was held and never connected`);
    expect(!player.isMissing || player.status === "connected", `${name} is missing without being connected`);
  }
}

function checkLobbies(state: State, expect: Expect): void {
  for (const lobby of state.lobbies.values()) {
    const name = `lobby ${lobby.id}`;
    const countOf = (status: string) => lobby.players.filter((player) => player.status === status).length;
    expect(lobby.reserved === countOf("reserved"), `${name} counts ${lobby.reserved} reserved seats`);
    expect(lobby.connected === countOf("connected"), `${name} counts ${lobby.connected} connected seats`);
    expect(lobby.held === countOf("held"), `${name} counts ${lobby.held} held seats`);
    expect(lobby.held === 0 || lobby.reconnectMs > 0, `${name} holds seats without a time to come back`);
    expect(lobby.players.length === takenSeats(lobby), `${name} has players without a taken seat`);
    expect(
      lobby.players.every((player) => state.players.get(player.id) === player),
      `${name} has unknown players`,
    );
    expect(takenSeats(lobby) <= Math.max(lobby.maxPlayers, lobby.maxPlayersDirect), `${name} is over its maximum`);
    expect((lobby.stoppedAt !== null) === !isLiving(lobby), `${name} is ${lobby.status}, stoppedAt ${lobby.stoppedAt}`);
    expect((lobby.stopReason !== null) === !isLiving(lobby), `${name} is ${lobby.status} for ${lobby.stopReason}`);
    expect(lobby.status !== "starting" || lobby.readyAt === null, `${name} is starting and ready`);
    expect(lobby.status !== "ready" || lobby.readyAt !== null, `${name} is ready since never`);
    expect(isLiving(lobby) || lobby.players.length === 0, `${name} has stopped but has players`);
  }
}

function checkCounts(state: State, expect: Expect): void {
  const lobbies = [...state.lobbies.values()];
  const players = [...state.players.values()];
  const statusCount = (records: readonly (Lobby | Player)[], status: string) =>
    records.filter((record) => record.status === status).length;
  expect(state.startingCount === statusCount(lobbies, "starting"), `${state.startingCount} starting lobbies`);
  expect(state.readyCount === statusCount(lobbies, "ready"), `${state.readyCount} ready lobbies`);
  expect(state.reservedCount === statusCount(players, "reserved"), `${state.reservedCount} reserved seats`);
  expect(state.connectedCount === statusCount(players, "connected"), `${state.connectedCount} connected seats`);
  expect(state.heldCount === statusCount(players, "held"), `${state.heldCount} held seats`);
  const clients = new Map<string, number>();
  for (const { clientId } of players.filter(isTaken)) clients.set(clientId, (clients.get(clientId) ?? 0) + 1);
  expect(
    state.clients === null || sameEntries(clients, state.clients),
    "the seats per client are not what the players say",
  );
  const codes = lobbies.flatMap((lobby) => (lobby.code === null ? [] : [[lobby.code, lobby] as const]));
  expect(sameEntries(new Map(codes), state.codes), "the lobbies by code are not those that have one");
  expect(new Set(codes.map(([code]) => code)).size === codes.length, "two lobbies have one code");
  const keyed = players.filter((player) => isTaken(player) && player.playerKey !== null);
  const seats = new Map(keyed.map((player) => [`${player.clientId} ${player.playerKey}`, player]));
  expect(seats.size === keyed.length, "a key has two taken seats for one client, or for server tokens");
  expect(sameEntries(seats, state.seatKeys.seats), "the seats by key are not what the players say");
  const order = (player: Player) => `${player.playerKey} ${player.lobbyId} ${player.clientId}`;
  expect(
    sameItems(keyed.map(order).sort(), [...orderedItems(state.seatKeys.ordered)].map(order)),
    "the lobbies by key are not what the players say",
  );
  const ids = [...state.lobbies.keys()].sort();
  expect(
    sameItems(
      ids,
      [...orderedItems(state.lobbiesById)].map((lobby) => lobby.id),
    ),
    "the lobbies by id are not all",
  );
}

/** Builds every pool again with the same addToPool, from the lobbies alone. */
function checkPools(state: State, expect: Expect): void {
  const pools = new Map<string, Pool>();
  for (const lobby of state.lobbies.values()) {
    const { versionId, gameMode, region } = lobby.pool;
    const key = `${versionId}/${gameMode}/${region}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = createPool(versionId, gameMode, region);
      pool.isDeployed = versionId === state.namespace?.deployedVersionId;
      pool.idleMin = pool.isDeployed ? (state.namespace?.idleMinimums.get(pairKey(gameMode, region)) ?? 0) : 0;
      pools.set(key, pool);
    }
    pool.lobbyCount += 1;
    pool.taken += lobby.players.length;
    addToPool({ ...lobby, pool });
    expect(state.pools.get(key) === lobby.pool, `lobby ${lobby.id} is in a pool that the namespace does not have`);
  }
  expect(pools.size === state.pools.size, `${state.pools.size} pools, but the lobbies make ${pools.size}`);
  for (const [key, pool] of pools) {
    const kept = state.pools.get(key);
    expect(
      kept !== undefined && describePool(kept) === describePool(pool),
      `the indexes of pool ${key} are not its lobbies'`,
    );
  }
}

function describePool(pool: Pool): string {
  const ids = (lobbies: OrderedSet<Lobby>) => [...orderedItems(lobbies)].map((lobby) => lobby.id);
  const groups = [...pool.groups].map(([tagKey, { lobbyCount, sizes }]) => {
    const lines = sizes.map(({ isReady, maxPlayers, lobbies }) =>
      [isReady, maxPlayers, lobbies.size, ...ids(lobbies)].join(),
    );
    return [tagKey, lobbyCount, lines.sort()];
  });
  const { isDeployed, idleMin, lobbyCount, taken, idleStarting, privateCount } = pool;
  groups.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify([
    isDeployed,
    idleMin,
    lobbyCount,
    taken,
    idleStarting,
    ids(pool.idle),
    ids(pool.listed),
    ids(pool.barred),
    privateCount,
    groups,
  ]);
}

function checkTimers(state: State, expect: Expect): void {
  const { compare } = state.timers;
  const expected = createOrderedSet(compare);
  for (const record of [...state.players.values(), ...state.lobbies.values(), ...state.keys.values()]) {
    // A timer from before heartbeat clocks started over may still stand where it stood.
    const isDue = record.dueAt >= computeDueAt(state, record, 0) && record.dueAt <= computeDueAt(state, record);
    expect(isDue, `${record.id} is due at ${record.dueAt} by its timer only`);
    if (record.dueAt !== Infinity) addOrdered(expected, record);
  }
  expect(
    sameItems([...orderedItems(expected)], [...orderedItems(state.timers)]),
    "the timers are not the records' deadlines",
  );
  const first = firstOrdered(state.timers);
  expect(
    first === undefined || first.dueAt > state.now,
    `${first?.id} was due at ${first?.dueAt}, and it is ${state.now}`,
  );
}

function checkKeys(state: State, expect: Expect): void {
  for (const key of state.keys.values()) {
    const players = key.playerIds.map((playerId) => state.players.get(playerId));
    expect(
      players.every((player) => player?.lobbyId === key.lobbyId),
      `key ${key.id} speaks of players that its lobby never had`,
    );
  }
  const ids = allRecords(state).map(({ entity, id }) => `${entity}/${id}`);
  expect(new Set(ids).size === ids.length, "two entities have one id");
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function sameEntries<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
