import { noClient } from "../client-ranges.ts";
import type {
  CreateReason,
  Idempotency,
  NewLobby,
  Outcome,
  Refusal,
  RefusalCode,
  Seated,
  SeatedKey,
} from "../commands.ts";
import { accept, CommandError, refuse } from "../outcome.ts";
import { newKey, newLobby, newPlayer } from "../record-makers.ts";
import { isTaken, type Lobby, type NamespaceRecord } from "../records.ts";
import { findSeatByKey } from "../seat-keys.ts";
import { addLobby, addPlayer, countClients, emitLobby, emitPlayer, ensurePool, putKey, type State } from "../state.ts";
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
  const { maxPlayersPerClient } = namespace;
  if (maxPlayersPerClient === null || clientId === noClient) return null;
  return (countClients(state).get(clientId) ?? 0) + seats > maxPlayersPerClient ? "TOO_MANY_PLAYERS_FROM_SOURCE" : null;
}

/** Null: no player of the party has a seat by the same key already. */
export function refuseSeated(state: State, clientId: string, keys: readonly string[] | undefined): Refusal | null {
  if (keys === undefined) return null;
  const seated: SeatedKey[] = [];
  for (const [index, key] of keys.entries()) {
    const player = key === "" ? undefined : findSeatByKey(state.seatKeys, clientId, key);
    if (player !== undefined) seated.push({ index, lobbyId: player.lobbyId });
  }
  return seated.length === 0 ? null : { ...refuse("PLAYER_ALREADY_SEATED"), seated };
}

/** Whether one more lobby may be made for a party of this size. Size first: waiting for room would not help it. */
export function refuseCreation(
  state: State,
  namespace: NamespaceRecord,
  lobby: NewLobby,
  seats: number,
): RefusalCode | null {
  if (seats > Math.min(lobby.maxPlayers, namespace.maxPlayers)) return "NO_AVAILABLE_LOBBIES";
  return state.startingCount + state.readyCount >= namespace.lobbyCountMax ? "TOO_MANY_LOBBIES" : null;
}

/** Whether the lobby gets a code, if it is to have one: the caller then tries again with longer ones. */
export function refuseCodes(state: State, lobby: NewLobby): RefusalCode | null {
  return lobby.codes === undefined || freeCode(state, lobby) !== null ? null : "CODES_TAKEN";
}

/** Null: the lobby is to have none, or they are all taken. */
function freeCode({ codes: taken }: State, { codes }: NewLobby): string | null {
  return codes?.find((code) => !taken.has(code)) ?? null;
}

/** The caller creates the ids; one that already exists would be a bug of Foyer, reported before anything is written. */
export function assertNewPlayers(state: State, { playerIds, keys }: Pick<Party, "playerIds" | "keys">): void {
  for (const id of playerIds) if (state.players.has(id)) throw new CommandError(`Player ${id} exists already.`);
  if (playerIds.length > 1 && new Set(playerIds).size !== playerIds.length)
    throw new CommandError("A party needs a different id for each player.");
  if (keys === undefined) return;
  const given = keys.filter((key) => key !== "");
  if (keys.length !== playerIds.length || new Set(given).size !== given.length)
    throw new CommandError("A party needs a different key for each player who has one.");
}

export function assertNewLobby(state: State, { lobbyId }: NewLobby): void {
  if (state.lobbies.has(lobbyId))
    throw new CommandError(`Lobby ${lobbyId} exists already; a new lobby needs a new id.`);
}

export function makeLobby(state: State, fresh: NewLobby, createReason: CreateReason, createdBy: string | null): Lobby {
  const findPool = (versionId: string, gameMode: string, region: string) =>
    ensurePool(state, versionId, gameMode, region);
  const said = { createReason, createdBy, code: freeCode(state, fresh) };
  const lobby = newLobby(fresh.lobbyId, { ...fresh, ...said }, state.now, findPool);
  addLobby(state, lobby);
  emitLobby(state, "lobby.created", lobby);
  return lobby;
}

export interface Party {
  readonly clientId: string;
  readonly playerIds: readonly string[];
  readonly keys?: readonly string[] | undefined;
  readonly idempotency: Idempotency | null;
}

export function seatParty(
  state: State,
  lobby: Lobby,
  party: Party,
  isNewLobby: boolean,
): { readonly ok: true } & Seated {
  const { clientId, playerIds, keys, idempotency } = party;
  for (let index = 0; index < playerIds.length; index++) {
    seatPlayer(state, lobby, clientId, playerIds[index]!, keys?.[index] || null);
  }
  if (idempotency !== null) {
    const id = keyId(clientId, idempotency);
    const { bodyHash } = idempotency;
    putKey(state, newKey(id, { bodyHash, lobbyId: lobby.id, playerIds }, state.now));
  }
  // Written out: `accept` copies the fields, which every find would pay for.
  return { ok: true, lobby: viewLobby(lobby), playerIds, isNewLobby, isReplay: false };
}

function seatPlayer(state: State, lobby: Lobby, clientId: string, id: string, playerKey: string | null): void {
  const player = newPlayer(id, { lobbyId: lobby.id, clientId, playerKey }, state.now);
  addPlayer(state, player);
  emitPlayer(state, "player.reserved", player);
}
