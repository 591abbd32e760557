import type {
  Event,
  IdleMinimum,
  KeyShown,
  Limits,
  LobbyView,
  NewLobby,
  PlayerView,
} from "../../src/matchmaker/commands.ts";

/**
 * One namespace, written down from the rules and from nothing else: lists that are searched from end to end, no index,
 * no count that is kept, no timer. It is slow and meant to be obviously right; the engine is compared with it.
 */
export interface Model {
  readonly namespaceId: string;
  /** The latest time so far. */
  clock: number;
  /** Null: never configured, or forgotten. */
  configuration: ModelConfiguration | null;
  lobbies: ModelLobby[];
  seats: ModelSeat[];
  keys: ModelKey[];
  /** All events that should be published, in order. */
  published: Event[];
  /** The service has just started: heartbeat clocks start again with the next command. */
  isRestarted: boolean;
  /** No heartbeat clock began earlier. */
  heardFrom: number;
}

export interface ModelConfiguration {
  revision: number;
  limits: Limits;
  deployedVersionId: string | null;
  idleMinimums: readonly IdleMinimum[];
  removedAt: number | null;
}

export interface ModelLobby {
  made: NewLobby;
  reason: LobbyView["createReason"];
  createdBy: string | null;
  createdAt: number;
  status: LobbyView["status"];
  isClosed: boolean;
  operatorClose: LobbyView["operatorClose"];
  readyAt: number | null;
  lastHeartbeatAt: number | null;
  /** It need not send heartbeats before its first one. */
  isMute: boolean;
  silentSince: number | null;
  emptySince: number;
  peakSeats: number;
  stoppedAt: number | null;
  stopReason: LobbyView["stopReason"];
  exit: string | null;
  state: string | null;
  ports: string | null;
  nodeId: string | null;
  /** It has called ready, and these of its ports do not answer. */
  waitsFor: string | null;
  code: string | null;
}

export interface ModelSeat {
  playerId: string;
  lobbyId: string;
  clientId: string;
  playerKey: string | null;
  status: PlayerView["status"];
  reservedAt: number;
  connectedAt: number | null;
  heldAt: number | null;
  endedAt: number | null;
  hasMissedOne: boolean;
}

interface ModelKey {
  clientId: string;
  key: string;
  bodyHash: string;
  lobbyId: string;
  playerIds: readonly string[];
  createdAt: number;
}

export const tenMinutesMs = 600_000;

export function createModel(namespaceId: string): Model {
  return {
    namespaceId,
    clock: 0,
    configuration: null,
    lobbies: [],
    seats: [],
    keys: [],
    published: [],
    isRestarted: false,
    heardFrom: 0,
  };
}

export const isTaken = (seat: ModelSeat) => ["reserved", "connected", "held"].includes(seat.status);
export const isLiving = (lobby: ModelLobby) => lobby.status !== "stopped";

/** Find avoids a lobby while its own flag or the operator's is set. */
export const isOpen = (lobby: ModelLobby) => !lobby.isClosed && lobby.operatorClose === null;

/** Sets one of the two flags; closed and opened are published when find's behaviour changes. */
export function setFlag(
  model: Model,
  lobby: ModelLobby,
  flag: Partial<Pick<ModelLobby, "isClosed" | "operatorClose">>,
) {
  const wasOpen = isOpen(lobby);
  Object.assign(lobby, flag);
  tell(model, wasOpen === isOpen(lobby) ? "lobby.changed" : wasOpen ? "lobby.closed" : "lobby.opened", lobby);
}

export function lobbyOf(model: Model, lobbyId: string): ModelLobby | undefined {
  return model.lobbies.find((lobby) => lobby.made.lobbyId === lobbyId);
}

export function lobbyWithCode(model: Model, code: string): ModelLobby | undefined {
  return model.lobbies.find((lobby) => lobby.code === code);
}

export function takenIn(model: Model, lobby: ModelLobby): ModelSeat[] {
  return model.seats.filter((seat) => seat.lobbyId === lobby.made.lobbyId && isTaken(seat));
}

export function isDeployed(model: Model, lobby: ModelLobby): boolean {
  return model.configuration !== null && model.configuration.deployedVersionId === lobby.made.versionId;
}

/** Of two lobbies the older comes first, then the one with the smaller id. */
export function byAge(a: ModelLobby, b: ModelLobby): number {
  return a.createdAt - b.createdAt || (a.made.lobbyId < b.made.lobbyId ? -1 : 1);
}

export function byId(a: { readonly playerId: string }, b: { readonly playerId: string }): number {
  return a.playerId < b.playerId ? -1 : 1;
}

/** Empty lobbies that Foyer runs, for players that may come: open, public, speaking, of the deployed version. */
export function idleLobbies(model: Model, gameMode: string, region: string): ModelLobby[] {
  return model.lobbies
    .filter((lobby) => isLiving(lobby) && isDeployed(model, lobby))
    .filter(({ made }) => made.gameMode === gameMode && made.region === region)
    .filter((lobby) => !lobby.made.isExternal && !lobby.made.isPrivate && isOpen(lobby) && lobby.silentSince === null)
    .filter((lobby) => takenIn(model, lobby).length === 0)
    .sort(byAge);
}

export function idleMinimum(model: Model, gameMode: string, region: string): number {
  const minimums = model.configuration?.idleMinimums ?? [];
  return minimums.find((idle) => idle.gameMode === gameMode && idle.region === region)?.min ?? 0;
}

/** How much is lacking of what the game mode wants to have ready ahead of need. */
export function missingOf(model: Model, gameMode: string, region: string): number {
  return Math.max(0, idleMinimum(model, gameMode, region) - idleLobbies(model, gameMode, region).length);
}

export function tell(model: Model, type: Extract<Event, { lobby: unknown }>["type"], lobby: ModelLobby): void {
  model.published.push({ type, namespaceId: model.namespaceId, at: model.clock, lobby: viewOf(model, lobby) });
}

export function tellSeat(
  model: Model,
  type: Extract<Event, { playerId: unknown }>["type"],
  seat: ModelSeat,
  reason?: "blocked",
): void {
  const { lobbyId, playerId, status } = seat;
  const more = { ...keyOf(seat), ...(reason !== undefined && { reason }) };
  model.published.push({ type, namespaceId: model.namespaceId, at: model.clock, lobbyId, playerId, status, ...more });
}

/** The key as the lobby and operators see it. Server tokens have no client, and what they say is vouched for. */
export function keyOf({ playerKey, clientId }: ModelSeat): KeyShown {
  return playerKey === null ? {} : { key: playerKey, isKeyVouched: clientId === "" };
}

export function endSeat(
  model: Model,
  seat: ModelSeat,
  status: "expired" | "left" | "ended" | "released" | "not_returned",
  reason?: "blocked",
): void {
  seat.status = status;
  seat.endedAt = model.clock;
  seat.hasMissedOne = false;
  const lobby = lobbyOf(model, seat.lobbyId);
  if (lobby !== undefined && takenIn(model, lobby).length === 0) lobby.emptySince = model.clock;
  tellSeat(model, status === "expired" ? "player.expired" : "player.left", seat, reason);
}

export function endLobby(model: Model, lobby: ModelLobby, reason: LobbyView["stopReason"], exit: string | null): void {
  Object.assign(lobby, { status: "stopped", stoppedAt: model.clock, stopReason: reason, exit });
  for (const seat of takenIn(model, lobby).sort(byId)) endSeat(model, seat, "ended");
  tell(model, "lobby.stopped", lobby);
}

/** What the engine's answers say of a lobby. */
export function viewOf(model: Model, lobby: ModelLobby): LobbyView {
  const { codes: _, isMute: __, ...made } = lobby.made;
  const taken = takenIn(model, lobby);
  const count = (status: string) => taken.filter((seat) => seat.status === status).length;
  return {
    ...made,
    ports: lobby.ports,
    state: lobby.state,
    nodeId: lobby.nodeId,
    waitsFor: lobby.waitsFor,
    status: lobby.status,
    isClosed: lobby.isClosed,
    operatorClose: lobby.operatorClose,
    isSilent: lobby.silentSince !== null,
    isOutdated: !isDeployed(model, lobby),
    reserved: count("reserved"),
    connected: count("connected"),
    held: count("held"),
    createReason: lobby.reason,
    createdBy: lobby.createdBy,
    createdAt: lobby.createdAt,
    readyAt: lobby.readyAt,
    lastHeartbeatAt: lobby.lastHeartbeatAt,
    silentSince: lobby.silentSince,
    emptySince: taken.length === 0 ? lobby.emptySince : null,
    peakSeats: lobby.peakSeats,
    stoppedAt: lobby.stoppedAt,
    stopReason: lobby.stopReason,
    exit: lobby.exit,
    code: lobby.code,
  };
}

/** When a hold ends, or a reservation: its time after the later of the reservation and the lobby's ready. */
export function expiresAt(model: Model, seat: ModelSeat): number | null {
  const lobby = lobbyOf(model, seat.lobbyId);
  if (seat.status === "held") return seat.heldAt! + lobby!.made.reconnectMs;
  if (seat.status !== "reserved" || lobby === undefined || lobby.readyAt === null) return null;
  return Math.max(seat.reservedAt, lobby.readyAt) + lobby.made.reservationMs;
}
