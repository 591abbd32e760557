import type { Event, LobbyEvent, PlayerEvent, SeatStatus } from "./commands.ts";
import type { Changing } from "./field-kinds.ts";
import { addOrdered, createOrderedSet, firstOrdered, itemAt, type OrderedSet, removeOrdered } from "./ordered-set.ts";
import { pairKey } from "./pair.ts";
import { addToPool, addToSeatIndexes, createPool, removeFromPool, removeFromSeatIndexes } from "./pools.ts";
import {
  compareDue,
  compareIds,
  isIdle,
  isTaken,
  type Key,
  type Lobby,
  type NamespaceRecord,
  type Player,
  type Pool,
  type Timed,
} from "./records.ts";
import { constants, type Entity, type lobbyFields, type playerFields } from "./schema.ts";
import { addSeatKey, createSeatKeys, removeSeatKey, type SeatKeys, showKey } from "./seat-keys.ts";
import { retime, untime } from "./timers.ts";
import { viewLobby } from "./views.ts";

/** One namespace. The functions below are the only writers, so no rule can forget an index, a count or a deadline. */
export interface State {
  readonly namespaceId: string;
  /** The latest time that any command brought or any deadline had. Never runs backwards. */
  now: number;
  /** Null: never configured. */
  namespace: NamespaceRecord | null;
  /** The newest lease whose holder gave a command. Not stored: leases are for nodes that share an engine. */
  fence: number;
  /**
   * Lobbies could not send heartbeats before this time: no heartbeat clock started earlier. Not stored: it is set at
   * the start of the service.
   */
  heardFrom: number;
  /**
   * Lobbies with greater ids have not been looked at since another version was deployed; null: all have. Not stored: a
   * loaded state says it again.
   */
  retiredTo: string | null;
  readonly lobbies: Map<string, Lobby>;
  readonly players: Map<string, Player>;
  readonly keys: Map<string, Key>;
  readonly pools: Map<string, Pool>;
  readonly lobbiesById: OrderedSet<Lobby>;
  /** The lobbies that have a code, by it. */
  readonly codes: Map<string, Lobby>;
  readonly timers: OrderedSet<Timed>;
  /** Taken seats per client. Null until a limit for them is needed: most namespaces have none, and it is a large map. */
  clients: Map<string, number> | null;
  readonly seatKeys: SeatKeys;
  startingCount: number;
  readyCount: number;
  reservedCount: number;
  connectedCount: number;
  heldCount: number;
  /** What the running command has changed so far, by entity and id, and its events. */
  changed: Map<string, ChangedEntity>;
  events: Event[];
}

interface ChangedEntity {
  readonly entity: Entity;
  readonly id: string;
}

export function createState(namespaceId: string): State {
  return {
    namespaceId,
    now: 0,
    namespace: null,
    fence: 0,
    heardFrom: 0,
    retiredTo: null,
    lobbies: new Map(),
    players: new Map(),
    keys: new Map(),
    pools: new Map(),
    lobbiesById: createOrderedSet<Lobby>(compareIds),
    codes: new Map(),
    timers: createOrderedSet(compareDue),
    clients: null,
    seatKeys: createSeatKeys(),
    startingCount: 0,
    readyCount: 0,
    reservedCount: 0,
    connectedCount: 0,
    heldCount: 0,
    changed: new Map(),
    events: [],
  };
}

/** When there is next something to do for those who do what is due; Infinity: never. */
export function nextDueAt(state: State): number {
  return isRetiring(state) ? state.now : nextExpiryAt(state);
}

/** Empty lobbies of a version that was deployed before end in steps, and some may be left. */
export function isRetiring({ retiredTo, namespace }: State): boolean {
  return retiredTo !== null && namespace !== null && namespace.removedAt === null;
}

/** When there is next something to expire, which every command does first; Infinity: never. */
export function nextExpiryAt(state: State): number {
  const removedAt = state.namespace?.removedAt ?? Infinity;
  return Math.min(firstOrdered(state.timers)?.dueAt ?? Infinity, removedAt + constants.rememberedMs);
}

export function findPool(state: State, versionId: string, gameMode: string, region: string): Pool | undefined {
  return state.pools.get(poolKey(versionId, gameMode, region));
}

function poolKey(versionId: string, gameMode: string, region: string): string {
  return `${versionId}/${gameMode}/${region}`;
}

/**
 * Null forgets the namespace. Deploying and idle minimums decide which empty lobbies stop: retireLobbies goes through them
 * in steps, since there may be very many.
 */
export function putNamespace(state: State, namespace: NamespaceRecord | null): void {
  state.namespace = namespace;
  const moved = [...state.pools.values()].filter((pool) => configurePool(state, pool));
  if (moved.length > 0) state.retiredTo = "";
  markChanged(state, "namespace", state.namespaceId);
}

export function configurePool(state: State, pool: Pool): boolean {
  const isDeployed = state.namespace !== null && state.namespace.deployedVersionId === pool.versionId;
  const idleMin = isDeployed ? (state.namespace?.idleMinimums.get(pairKey(pool.gameMode, pool.region)) ?? 0) : 0;
  if (pool.isDeployed === isDeployed && pool.idleMin === idleMin) return false;
  pool.isDeployed = isDeployed;
  pool.idleMin = idleMin;
  return true;
}

/** The pool that a lobby about to be added belongs to. */
export function ensurePool(state: State, versionId: string, gameMode: string, region: string): Pool {
  const key = poolKey(versionId, gameMode, region);
  let pool = state.pools.get(key);
  if (pool === undefined) {
    pool = createPool(versionId, gameMode, region);
    configurePool(state, pool);
    state.pools.set(key, pool);
  }
  return pool;
}

/** A new lobby has no players yet; addPlayer seats them. */
export function addLobby(state: State, lobby: Lobby): void {
  if (state.lobbies.has(lobby.id)) throw new Error(`Lobby ${lobby.id} exists already; a new lobby needs a new id.`);
  state.lobbies.set(lobby.id, lobby);
  if (lobby.code !== null) state.codes.set(lobby.code, lobby);
  addOrdered(state.lobbiesById, lobby);
  lobby.pool.lobbyCount += 1;
  countLobby(state, lobby, 1);
  indexLobby(state, lobby);
  markChanged(state, "lobby", lobby.id);
}

/** How long it was empty and how full it was follow from its seats. */
export type LobbyPatch = Partial<Omit<Changing<typeof lobbyFields>, "emptySince" | "peakBefore">>;

export function changeLobby(state: State, lobby: Lobby, patch: LobbyPatch): void {
  unindexLobby(state, lobby);
  countLobby(state, lobby, -1);
  Object.assign(lobby, patch);
  countLobby(state, lobby, 1);
  indexLobby(state, lobby);
  if (patch.readyAt !== undefined) for (const player of lobby.players) retime(state, player);
  markChanged(state, "lobby", lobby.id);
}

/** For facts on which no index, count or deadline depends. */
export function patchLobby(
  state: State,
  lobby: Lobby,
  patch: Pick<LobbyPatch, "state" | "ports" | "nodeId" | "waitsFor">,
): void {
  Object.assign(lobby, patch);
  markChanged(state, "lobby", lobby.id);
}

/** Moves the deadline of a lobby of which another version or idle minimum may have decided. */
export function retimeLobby(state: State, lobby: Lobby): void {
  retime(state, lobby);
}

/** Not a change to be stored: heartbeat clocks restart with the service. */
export function noteHeartbeat(state: State, lobby: Lobby, at: number): void {
  lobby.lastHeartbeatAt = at;
  retime(state, lobby);
}

/** Forgets a lobby without taken seats. */
export function removeLobby(state: State, lobby: Lobby): void {
  if (lobby.players.length > 0) throw new Error(`Lobby ${lobby.id} still has players and cannot be forgotten.`);
  unindexLobby(state, lobby);
  countLobby(state, lobby, -1);
  untime(state, lobby);
  state.lobbies.delete(lobby.id);
  if (lobby.code !== null) state.codes.delete(lobby.code);
  removeOrdered(state.lobbiesById, lobby);
  const { pool } = lobby;
  pool.lobbyCount -= 1;
  if (pool.lobbyCount === 0) state.pools.delete(poolKey(pool.versionId, pool.gameMode, pool.region));
  markChanged(state, "lobby", lobby.id);
}

/** Adds a seat as it is, taken or ended. A taken one needs its lobby. */
export function addPlayer(state: State, player: Player): void {
  if (state.players.has(player.id)) throw new Error(`Player ${player.id} exists already; a new seat needs a new id.`);
  state.players.set(player.id, player);
  if (isTaken(player)) moveSeat(state, player, null);
  retime(state, player);
  markChanged(state, "player", player.id);
}

export type PlayerPatch = Partial<Changing<typeof playerFields>>;

/** A lobby whose last taken seat ends here is empty from now on. A seat that has ended stays so. */
export function changePlayer(state: State, player: Player, patch: PlayerPatch): void {
  const before = isTaken(player) ? player.status : null;
  Object.assign(player, patch);
  if (before !== null && before !== player.status) moveSeat(state, player, before);
  retime(state, player);
  markChanged(state, "player", player.id);
}

/** Forgets a seat that has ended. */
export function removePlayer(state: State, player: Player): void {
  if (isTaken(player)) throw new Error(`Player ${player.id} still has a seat and cannot be forgotten.`);
  untime(state, player);
  state.players.delete(player.id);
  markChanged(state, "player", player.id);
}

/** Replaces an earlier key of the same id. */
export function putKey(state: State, key: Key): void {
  const earlier = state.keys.get(key.id);
  if (earlier !== undefined) untime(state, earlier);
  state.keys.set(key.id, key);
  retime(state, key);
  markChanged(state, "key", key.id);
}

export function removeKey(state: State, key: Key): void {
  untime(state, key);
  state.keys.delete(key.id);
  markChanged(state, "key", key.id);
}

export function emitLobby(state: State, type: LobbyEvent["type"], lobby: Lobby): void {
  state.events.push({ type, namespaceId: state.namespaceId, at: state.now, lobby: viewLobby(lobby) });
}

export function emitPlayer(state: State, type: PlayerEvent["type"], player: Player, reason?: "blocked"): void {
  const { id: playerId, lobbyId, status } = player;
  const event = { type, namespaceId: state.namespaceId, at: state.now, lobbyId, playerId, status };
  const isPlain = player.playerKey === null && reason === undefined;
  state.events.push(isPlain ? event : { ...event, ...showKey(player), ...(reason !== undefined && { reason }) });
}

function markChanged(state: State, entity: Entity, id: string): void {
  const key = `${entity}/${id}`;
  if (!state.changed.has(key)) state.changed.set(key, { entity, id });
}

export function countLobby(state: State, lobby: Lobby, by: 1 | -1): void {
  if (lobby.status === "starting") state.startingCount += by;
  if (lobby.status === "ready") state.readyCount += by;
}

/** Brings lobby, pool, client and totals from the seat's earlier status (null: it had no seat) to its present one. */
function moveSeat(state: State, player: Player, before: SeatStatus | null): void {
  const lobby = getLobby(state, player);
  const isMove = before !== null && isTaken(player);
  if (!isMove) {
    removeFromSeatIndexes(lobby);
    noteIdleGone(state, lobby);
  }
  if (before !== null) countSeat(state, lobby, before, -1);
  if (isTaken(player)) countSeat(state, lobby, player.status, 1);
  if (!isMove) {
    if (before === null) takePlace(state, lobby, player);
    else leavePlace(state, lobby, player);
    addToSeatIndexes(lobby);
    noteIdleCome(state, lobby);
    retime(state, lobby);
  }
}

export function countSeat(state: State, lobby: Lobby, status: SeatStatus, by: 1 | -1): void {
  if (status === "reserved") {
    lobby.reserved += by;
    state.reservedCount += by;
  } else if (status === "connected") {
    lobby.connected += by;
    state.connectedCount += by;
  } else {
    lobby.held += by;
    state.heldCount += by;
  }
}

export function takePlace(state: State, lobby: Lobby, player: Player): void {
  player.slot = lobby.players.push(player) - 1;
  lobby.pool.taken += 1;
  if (state.clients !== null) countClient(state.clients, player, 1);
  if (player.playerKey !== null) addSeatKey(state.seatKeys, player);
}

function leavePlace(state: State, lobby: Lobby, player: Player): void {
  if (lobby.players.length > lobby.peakBefore) {
    lobby.peakBefore = lobby.players.length;
    markChanged(state, "lobby", lobby.id);
  }
  const last = lobby.players.pop()!;
  if (last !== player) {
    lobby.players[player.slot] = last;
    last.slot = player.slot;
  }
  player.slot = -1;
  lobby.pool.taken -= 1;
  if (state.clients !== null) countClient(state.clients, player, -1);
  if (player.playerKey !== null) removeSeatKey(state.seatKeys, player);
  if (lobby.players.length > 0) return;
  lobby.emptySince = state.now;
  markChanged(state, "lobby", lobby.id);
}

function countClient(clients: Map<string, number>, { clientId }: Player, by: 1 | -1): void {
  const seats = (clients.get(clientId) ?? 0) + by;
  if (seats > 0) clients.set(clientId, seats);
  else clients.delete(clientId);
}

/** Taken seats per client, counted from now on. */
export function countClients(state: State): ReadonlyMap<string, number> {
  if (state.clients !== null) return state.clients;
  const clients = new Map<string, number>();
  for (const { players } of state.lobbies.values()) for (const player of players) countClient(clients, player, 1);
  state.clients = clients;
  return clients;
}

export function getLobby(state: State, player: Player): Lobby {
  const lobby = state.lobbies.get(player.lobbyId);
  if (lobby === undefined)
    throw new Error(`Player ${player.id} has a seat in lobby ${player.lobbyId}, which is unknown.`);
  return lobby;
}

function indexLobby(state: State, lobby: Lobby): void {
  addToPool(lobby);
  noteIdleCome(state, lobby);
  retime(state, lobby);
}

function unindexLobby(state: State, lobby: Lobby): void {
  removeFromPool(lobby);
  noteIdleGone(state, lobby);
}

/** An idle lobby that comes in may push another one out of those that are kept. */
function noteIdleCome(state: State, lobby: Lobby): void {
  const { idleMin } = lobby.pool;
  if (idleMin > 0 && lobby.readyAt !== null && isIdle(lobby)) retimeAt(state, lobby.pool, idleMin);
}

/** An idle lobby that goes may let another one in among those that are kept. */
function noteIdleGone(state: State, lobby: Lobby): void {
  if (lobby.readyAt !== null && isIdle(lobby)) retimeAt(state, lobby.pool, lobby.pool.idleMin - 1);
}

function retimeAt(state: State, pool: Pool, position: number): void {
  const lobby = position < 0 ? undefined : itemAt(pool.idle, position);
  if (lobby !== undefined) retime(state, lobby);
}
