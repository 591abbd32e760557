import { noClient } from "./client-ranges.ts";
import type {
  Answer,
  GetLobby,
  GetSeat,
  GetSeatByKey,
  ListAllLobbies,
  ListCursor,
  ListLobbies,
  ListPlayers,
  LobbyView,
  MissingIdle,
  NamespaceQueryOf,
  NamespaceQueryType,
  Pair,
  PickLobbies,
  PreviewFind,
  WantedLobbies,
} from "./commands.ts";
import { orderedFrom } from "./ordered-set.ts";
import { accept, refuse } from "./outcome.ts";
import { pairKey } from "./pair.ts";
import { compareIds, isLiving, type Lobby, type Player } from "./records.ts";
import { missingIdle } from "./rules/create-lobby.ts";
import { decideFind, explainDecision, withExplanation } from "./rules/find.ts";
import { currentNamespace } from "./rules/party.ts";
import { constants } from "./schema.ts";
import { findSeatByKey, lobbiesWithKey } from "./seat-keys.ts";
import { nextDueAt, type State } from "./state.ts";
import { viewLobby, viewPlayer } from "./views.ts";

/** Reads the current state. The caller has first handled everything that is due at the query's time. */
export function answer<T extends NamespaceQueryType>(state: State, query: NamespaceQueryOf<T>): Answer<T> {
  const reader: Reader<T> = readers[query.type as T];
  return reader(state, query);
}

type Reader<T extends NamespaceQueryType> = (state: State, query: NamespaceQueryOf<T>) => Answer<T>;

const readers: { readonly [T in NamespaceQueryType]: Reader<T> } = {
  lobby: readLobby,
  listLobbies,
  listAllLobbies,
  pickLobbies,
  players: listPlayers,
  seat: readSeat,
  seatByKey: readSeatByKey,
  statistics,
  counts,
  missingIdle: listMissingIdle,
  previewFind,
};

function readLobby(state: State, query: GetLobby): LobbyView | null {
  const lobby = state.lobbies.get(query.lobbyId);
  return lobby === undefined || state.namespace?.removedAt != null ? null : viewLobby(lobby);
}

function listLobbies(state: State, query: ListLobbies): Answer<"listLobbies"> {
  const { after, limit, stateBytesMax = Number.POSITIVE_INFINITY } = query;
  const lobbies: LobbyView[] = [];
  let stateBytes = 0;
  for (const pool of listedPools(state, query)) {
    const isCursorPool = after !== null && pool.gameMode === after.gameMode && pool.region === after.region;
    for (const lobby of orderedFrom(pool.listed, (other) => isCursorPool && other.id <= after.lobbyId)) {
      stateBytes += lobby.state === null ? 0 : Buffer.byteLength(lobby.state);
      const isTooLarge = lobbies.length > 0 && stateBytes > stateBytesMax;
      if (lobbies.length === limit || isTooLarge) return { lobbies, next: nextCursor(lobbies) };
      lobbies.push(viewLobby(lobby));
    }
  }
  return { lobbies, next: null };
}

/** From the pool of the cursor on, by game mode and region. */
function listedPools(state: State, { gameModes, region, after }: ListLobbies) {
  const versionId = state.namespace?.deployedVersionId ?? null;
  return [...state.pools.values()]
    .filter((pool) => pool.versionId === versionId && gameModes.includes(pool.gameMode))
    .filter((pool) => region === null || pool.region === region)
    .filter((pool) => after === null || comparePairs(pool, after) >= 0)
    .sort(comparePairs);
}

function nextCursor(lobbies: readonly LobbyView[]): ListCursor | null {
  const last = lobbies.at(-1);
  return last === undefined ? null : { gameMode: last.gameMode, region: last.region, lobbyId: last.lobbyId };
}

function listAllLobbies(state: State, query: ListAllLobbies): Answer<"listAllLobbies"> {
  const lobbies: LobbyView[] = [];
  for (const lobby of lobbiesAfter(state, query)) {
    if (!isLiving(lobby) && !query.includeStopped) continue;
    if (lobbies.length === query.limit) return { lobbies, next: lobbies.at(-1)?.lobbyId ?? null };
    lobbies.push(viewLobby(lobby));
  }
  return { lobbies, next: null };
}

function* lobbiesAfter(state: State, { after, playerKey }: ListAllLobbies): Generator<Lobby> {
  if (playerKey === undefined) {
    yield* orderedFrom(state.lobbiesById, (other) => after !== null && other.id <= after);
    return;
  }
  for (const lobbyId of lobbiesWithKey(state.seatKeys, playerKey, after)) yield state.lobbies.get(lobbyId)!;
}

function pickLobbies(state: State, { wanted, after }: PickLobbies): Answer<"pickLobbies"> {
  const lobbies: LobbyView[] = [];
  let looks = 0;
  for (const lobby of orderedFrom(state.lobbiesById, (other) => after !== null && other.id <= after)) {
    // Where there are several nodes, the lobbies of each have a list of their own.
    if (wanted.nodeId && lobby.nodeId !== wanted.nodeId) continue;
    looks += 1;
    if (isWanted(lobby, wanted)) lobbies.push(viewLobby(lobby));
    if (looks === constants.lobbiesPerStepMax) return { lobbies, next: lobby.id };
  }
  return { lobbies, next: null };
}

function isWanted(lobby: Lobby, { status, nodeId, exceptNodeIds }: WantedLobbies): boolean {
  if (status === undefined ? !isLiving(lobby) : status !== "any" && lobby.status !== status) return false;
  if (nodeId !== undefined && (lobby.nodeId ?? "") !== nodeId) return false;
  return exceptNodeIds === undefined || (lobby.nodeId !== null && !exceptNodeIds.includes(lobby.nodeId));
}

function listPlayers(state: State, query: ListPlayers): Answer<"players"> {
  const players = state.lobbies.get(query.lobbyId)?.players ?? [];
  return players
    .slice()
    .sort((a, b) => a.reservedAt - b.reservedAt || compareIds(a, b))
    .map(viewPlayer);
}

function readSeat(state: State, query: GetSeat): Answer<"seat"> {
  return viewSeat(state, state.players.get(query.playerId));
}

function readSeatByKey(state: State, query: GetSeatByKey): Answer<"seatByKey"> {
  return viewSeat(state, findSeatByKey(state.seatKeys, noClient, query.key));
}

function viewSeat(state: State, player: Player | undefined): Answer<"seat"> {
  const lobby = player && state.lobbies.get(player.lobbyId);
  return lobby === undefined ? null : { player: viewPlayer(player!), lobby: viewLobby(lobby) };
}

function statistics(state: State): Answer<"statistics"> {
  const pairs = new Map<string, Pair & { playerCount: number }>();
  for (const { gameMode, region, taken } of state.pools.values()) {
    if (taken === 0) continue;
    const key = pairKey(gameMode, region);
    const pair = pairs.get(key) ?? { gameMode, region, playerCount: 0 };
    pair.playerCount += taken;
    pairs.set(key, pair);
  }
  const playerCount = state.reservedCount + state.connectedCount + state.heldCount;
  return { playerCount, pairs: [...pairs.values()].sort(comparePairs) };
}

function counts(state: State): Answer<"counts"> {
  const { namespace } = state;
  const dueAt = nextDueAt(state);
  return {
    revision: namespace === null || namespace.removedAt !== null ? null : namespace.revision,
    starting: state.startingCount,
    ready: state.readyCount,
    reserved: state.reservedCount,
    connected: state.connectedCount,
    held: state.heldCount,
    nextDueAt: dueAt === Infinity ? null : dueAt,
  };
}

function listMissingIdle(state: State, _query: MissingIdle): Answer<"missingIdle"> {
  const { namespace } = state;
  if (namespace === null || namespace.removedAt !== null) return [];
  let room = namespace.lobbyCountMax - state.startingCount - state.readyCount;
  const missing: (Pair & { missing: number })[] = [];
  for (const key of [...namespace.idleMinimums.keys()].sort()) {
    const [gameMode = "", region = ""] = key.split("/");
    const count = Math.min(room, missingIdle(state, namespace, gameMode, region));
    if (count <= 0) continue;
    missing.push({ gameMode, region, missing: count });
    room -= count;
  }
  return missing;
}

function previewFind(state: State, query: PreviewFind): Answer<"previewFind"> {
  const namespace = currentNamespace(state, query.revision);
  if (namespace === null) return refuse("STALE_REVISION");
  const decision = decideFind(state, namespace, query);
  const explained = explainDecision(state, namespace, query, decision);
  if (decision.type === "refused") return withExplanation(decision.refusal, explained);
  if (decision.type === "create") return withExplanation(accept({ lobby: null, wouldCreate: true }), explained);
  return withExplanation(accept({ lobby: viewLobby(decision.lobby), wouldCreate: false }), explained);
}

function comparePairs(a: Pair, b: Pair): number {
  if (a.gameMode !== b.gameMode) return a.gameMode < b.gameMode ? -1 : 1;
  return a.region < b.region ? -1 : a.region > b.region ? 1 : 0;
}
