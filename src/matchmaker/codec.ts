import type { CreateReason, LobbyStatus, OperatorClose, SeatStatus, StopReason, Tags } from "./commands.ts";
import { type Key, keyKind, type Lobby, lobbyKind, type Player, type Pool, playerKind, tagKeysOf } from "./records.ts";
import type { NamespaceRecord } from "./state.ts";

/**
 * Each entity's facts as one compact array, to be stored and loaded again. The first element is the layout's version:
 * a new layout gets a new number and the reader keeps understanding the old ones.
 */
export type Row = readonly unknown[];

const layout = 1;
/** The first layout of lobbies had no peak of seats and no node. */
const lobbyLayout = 2;

export function namespaceRow(namespace: NamespaceRecord): Row {
  const { lobbyCountMax, maxPlayers, maxPlayersPerClient } = namespace.limits;
  return [
    layout,
    namespace.revision,
    lobbyCountMax,
    maxPlayers,
    maxPlayersPerClient,
    namespace.deployedVersionId,
    [...namespace.idleMinimums],
    namespace.removedAt,
  ];
}

export function readNamespaceRow(row: Row): NamespaceRecord {
  // A border: rows are written by the functions above only, and a store that damages them is found by its checksums.
  const [, revision, lobbyCountMax, maxPlayers, maxPlayersPerClient, deployedVersionId, idle, removedAt] = checked(
    row,
    "namespace",
    8,
  ) as [number, number, number, number, number | null, string | null, [string, number][], number | null];
  const limits = { lobbyCountMax, maxPlayers, maxPlayersPerClient };
  return { revision, limits, deployedVersionId, idleMinimums: new Map(idle), removedAt };
}

export function lobbyRow(lobby: Lobby): Row {
  return [
    lobbyLayout,
    lobby.pool.versionId,
    lobby.pool.gameMode,
    lobby.pool.region,
    lobby.maxPlayers,
    lobby.maxPlayersDirect,
    flagsOf(lobby),
    lobby.tags,
    lobby.readyMs,
    lobby.reservationMs,
    lobby.heartbeatMs,
    lobby.emptyMs,
    lobby.ports,
    lobby.lobbyConfig,
    lobby.state,
    lobby.createReason,
    lobby.createdBy,
    lobby.createdAt,
    lobby.status,
    lobby.readyAt,
    lobby.silentSince,
    lobby.emptySince,
    lobby.stoppedAt,
    lobby.stopReason,
    lobby.exit,
    lobby.peakBefore,
    lobby.nodeId,
  ];
}

/** Rows from before the operator's flag have none of its bits, which is right. */
function flagsOf({ isExternal, isPrivate, isClosed, isJoinable, operatorClose }: Lobby): number {
  const own = (isExternal ? 1 : 0) + (isPrivate ? 2 : 0) + (isClosed ? 4 : 0) + (isJoinable ? 8 : 0);
  return own + (operatorClose === "operator" ? 16 : 0) + (operatorClose === "token_revoked" ? 32 : 0);
}

function operatorCloseOf(flags: number): OperatorClose | null {
  if ((flags & 16) !== 0) return "operator";
  return (flags & 32) !== 0 ? "token_revoked" : null;
}

type LobbyRow = [
  layout: number,
  versionId: string,
  gameMode: string,
  region: string,
  maxPlayers: number,
  maxPlayersDirect: number,
  flags: number,
  tags: Tags,
  readyMs: number,
  reservationMs: number,
  heartbeatMs: number,
  emptyMs: number,
  ports: string | null,
  lobbyConfig: string | null,
  state: string | null,
  createReason: CreateReason,
  createdBy: string | null,
  createdAt: number,
  status: LobbyStatus,
  readyAt: number | null,
  silentSince: number | null,
  emptySince: number,
  stoppedAt: number | null,
  stopReason: StopReason | null,
  exit: string | null,
  peakBefore?: number,
  nodeId?: string | null,
];

export function readLobbyRow(
  id: string,
  row: Row,
  poolOf: (versionId: string, gameMode: string, region: string) => Pool,
): Lobby {
  const fields = (row[0] === layout ? checked(row, "lobby", 25) : checked(row, "lobby", 27, lobbyLayout)) as LobbyRow;
  return {
    kind: lobbyKind,
    id,
    pool: poolOf(fields[1], fields[2], fields[3]),
    maxPlayers: fields[4],
    maxPlayersDirect: fields[5],
    isExternal: (fields[6] & 1) !== 0,
    isPrivate: (fields[6] & 2) !== 0,
    isJoinable: (fields[6] & 8) !== 0,
    tags: fields[7],
    readyMs: fields[8],
    reservationMs: fields[9],
    heartbeatMs: fields[10],
    emptyMs: fields[11],
    lobbyConfig: fields[13],
    createReason: fields[15],
    createdBy: fields[16],
    createdAt: fields[17],
    ports: fields[12],
    nodeId: fields[26] ?? null,
    state: fields[14],
    status: fields[18],
    isClosed: (fields[6] & 4) !== 0,
    operatorClose: operatorCloseOf(fields[6]),
    readyAt: fields[19],
    silentSince: fields[20],
    emptySince: fields[21],
    peakBefore: fields[25] ?? 0,
    stoppedAt: fields[22],
    stopReason: fields[23],
    exit: fields[24],
    lastHeartbeatAt: null,
    tagKeys: tagKeysOf(fields[7]),
    reserved: 0,
    connected: 0,
    players: [],
    dueAt: Infinity,
  };
}

export function playerRow(player: Player): Row {
  const { lobbyId, clientId, reservedAt, status, connectedAt, endedAt, isMissing } = player;
  return [layout, lobbyId, clientId, reservedAt, status, connectedAt, endedAt, isMissing ? 1 : 0];
}

export function readPlayerRow(id: string, row: Row): Player {
  const [, lobbyId, clientId, reservedAt, status, connectedAt, endedAt, missing] = checked(row, "player", 8) as [
    number,
    string,
    string,
    number,
    SeatStatus,
    number | null,
    number | null,
    number,
  ];
  return {
    kind: playerKind,
    id,
    lobbyId,
    clientId,
    reservedAt,
    status,
    connectedAt,
    endedAt,
    isMissing: missing === 1,
    dueAt: Infinity,
    slot: -1,
  };
}

export function keyRow(key: Key): Row {
  return [layout, key.bodyHash, key.lobbyId, key.playerIds, key.createdAt];
}

export function readKeyRow(id: string, row: Row): Key {
  const [, bodyHash, lobbyId, playerIds, createdAt] = checked(row, "key", 5) as [
    number,
    string,
    string,
    readonly string[],
    number,
  ];
  return { kind: keyKind, id, bodyHash, lobbyId, playerIds, createdAt, dueAt: Infinity };
}

function checked(row: Row, entity: string, length: number, newest = layout): unknown {
  if (row[0] === newest && row.length === length) return row;
  throw new Error(
    `A stored ${entity} has layout ${String(row[0])} with ${row.length} fields; this version of Foyer reads up to layout ${newest}. ` +
      "It was written by a newer Foyer, or the store is damaged.",
  );
}
