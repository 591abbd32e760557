import type { CreateReason, Idempotency, NewLobby, Outcome, RefusalCode, Seated } from "../commands.ts";
import { accept, CommandFault, refuse } from "../outcome.ts";
import { isTaken, keyKind, type Lobby, lobbyKind, type Player, playerKind, tagKeysOf } from "../records.ts";
import {
  addLobby,
  addPlayer,
  emitLobby,
  emitPlayer,
  ensurePool,
  type NamespaceRecord,
  putKey,
  type State,
} from "../state.ts";
import { viewLobby } from "../views.ts";

/** What find, join and createLobby have in common: seating a party, once. */

/** The namespace's configuration, if the caller built its command from this very one. */
export function currentNamespace(state: State, revision: number): NamespaceRecord | null {
  const { namespace } = state;
  return namespace !== null && namespace.removedAt === null && namespace.revision === revision ? namespace : null;
}

/** The answer to a retry; null when the key says nothing, because it is new or all its seats have ended. */
export function replay(state: State, clientId: string, idempotency: Idempotency | null): Outcome<"find"> | null {
  if (idempotency === null) return null;
  const key = state.keys.get(keyId(clientId, idempotency));
  if (key === undefined) return null;
  const lobby = state.lobbies.get(key.lobbyId);
  const isAlive = key.playerIds.some((playerId) => {
    const player = state.players.get(playerId);
    return player !== undefined && isTaken(player);
  });
  if (lobby === undefined || !isAlive) return null;
  if (key.bodyHash !== idempotency.bodyHash) return refuse("IDEMPOTENCY_KEY_REUSED");
  return accept({ lobby: viewLobby(lobby), playerIds: key.playerIds, isNewLobby: false, isReplay: true });
}

/** Client addresses hold no space, so no two clients' keys are ever the same. */
function keyId(clientId: string, idempotency: Idempotency): string {
  return `${clientId} ${idempotency.key}`;
}

export function refuseClient(
  state: State,
  namespace: NamespaceRecord,
  clientId: string,
  seats: number,
): RefusalCode | null {
  const { maxPlayersPerClient } = namespace.limits;
  if (maxPlayersPerClient === null) return null;
  return (state.clients.get(clientId) ?? 0) + seats > maxPlayersPerClient ? "TOO_MANY_PLAYERS_FROM_SOURCE" : null;
}

/** Whether one more lobby may be made for a party of this size. Size first: waiting for room would not help it. */
export function refuseCreation(
  state: State,
  namespace: NamespaceRecord,
  lobby: NewLobby,
  seats: number,
): RefusalCode | null {
  if (seats > Math.min(lobby.maxPlayers, namespace.limits.maxPlayers)) return "NO_AVAILABLE_LOBBIES";
  return state.startingCount + state.readyCount >= namespace.limits.lobbyCountMax ? "TOO_MANY_LOBBIES" : null;
}

/** Ids are made by the caller; one that exists already would be a fault of ours, told before anything is written. */
export function assertNewPlayers(state: State, playerIds: readonly string[]): void {
  for (const id of playerIds) if (state.players.has(id)) throw new CommandFault(`Player ${id} exists already.`);
  if (playerIds.length > 1 && new Set(playerIds).size !== playerIds.length)
    throw new CommandFault("A party needs a different id for each player.");
}

export function assertNewLobby(state: State, { lobbyId }: NewLobby): void {
  if (state.lobbies.has(lobbyId))
    throw new CommandFault(`Lobby ${lobbyId} exists already; a new lobby needs a new id.`);
}

export function makeLobby(state: State, fresh: NewLobby, createReason: CreateReason, createdBy: string | null): Lobby {
  const lobby: Lobby = {
    kind: lobbyKind,
    id: fresh.lobbyId,
    pool: ensurePool(state, fresh.versionId, fresh.gameMode, fresh.region),
    maxPlayers: fresh.maxPlayers,
    maxPlayersDirect: fresh.maxPlayersDirect,
    isExternal: fresh.isExternal,
    isPrivate: fresh.isPrivate,
    isJoinable: fresh.isJoinable,
    tags: fresh.tags,
    readyMs: fresh.timeouts.readyMs,
    reservationMs: fresh.timeouts.reservationMs,
    heartbeatMs: fresh.timeouts.heartbeatMs,
    emptyMs: fresh.timeouts.emptyMs,
    lobbyConfig: fresh.lobbyConfig,
    createReason,
    createdBy,
    createdAt: state.now,
    ports: fresh.ports,
    nodeId: null,
    state: null,
    status: "starting",
    isClosed: false,
    operatorClose: null,
    readyAt: null,
    silentSince: null,
    emptySince: state.now,
    peakBefore: 0,
    stoppedAt: null,
    stopReason: null,
    exit: null,
    lastHeartbeatAt: null,
    tagKeys: tagKeysOf(fresh.tags),
    reserved: 0,
    connected: 0,
    players: [],
    dueAt: Infinity,
  };
  addLobby(state, lobby);
  emitLobby(state, "lobby.created", lobby);
  return lobby;
}

export interface Party {
  readonly clientId: string;
  readonly playerIds: readonly string[];
  readonly idempotency: Idempotency | null;
}

export function seatParty(
  state: State,
  lobby: Lobby,
  party: Party,
  isNewLobby: boolean,
): { readonly ok: true } & Seated {
  const { clientId, playerIds, idempotency } = party;
  for (const id of playerIds) seatPlayer(state, lobby, clientId, id);
  if (idempotency !== null) {
    const id = keyId(clientId, idempotency);
    const { bodyHash } = idempotency;
    putKey(state, { kind: keyKind, id, bodyHash, lobbyId: lobby.id, playerIds, createdAt: state.now, dueAt: Infinity });
  }
  return accept({ lobby: viewLobby(lobby), playerIds, isNewLobby, isReplay: false });
}

function seatPlayer(state: State, lobby: Lobby, clientId: string, id: string): void {
  const player: Player = {
    kind: playerKind,
    id,
    lobbyId: lobby.id,
    clientId,
    reservedAt: state.now,
    status: "reserved",
    connectedAt: null,
    endedAt: null,
    isMissing: false,
    dueAt: Infinity,
    slot: -1,
  };
  addPlayer(state, player);
  emitPlayer(state, "player.reserved", player);
}
