import type { Explanation } from "./explanation.ts";
import type { Pair } from "./pair.ts";

export type { Pair } from "./pair.ts";

/** The things that commands, outcomes, events and queries speak of. Import them from commands.ts. */

export type Tags = Readonly<Record<string, string>>;

interface Timeouts {
  readonly readyMs: number;
  readonly reservationMs: number;
  /** 0: the lobby need not send heartbeats. */
  readonly heartbeatMs: number;
  readonly emptyMs: number;
}

/** A lobby to be made, with everything that its game mode says about it, so that rules never need the version again. */
export interface NewLobby {
  readonly lobbyId: string;
  readonly versionId: string;
  readonly gameMode: string;
  readonly region: string;
  readonly maxPlayers: number;
  readonly maxPlayersDirect: number;
  /** Run by the studio itself: never stopped for being empty or outdated. */
  readonly isExternal: boolean;
  readonly isPrivate: boolean;
  /** Whether its game mode lets players join by id. */
  readonly isJoinable: boolean;
  readonly tags: Tags;
  readonly timeouts: Timeouts;
  /** JSON text; null until they are known (see setPorts). */
  readonly ports: string | null;
  /** JSON text; null when none was given. */
  readonly lobbyConfig: string | null;
}

export interface Limits {
  readonly lobbyCountMax: number;
  readonly maxPlayers: number;
  readonly maxPlayersPerClient: number | null;
}

export interface IdleMinimum extends Pair {
  readonly min: number;
}

/** What decides a find; `previewFind` asks the same without taking anything. The party size is the number of player ids. */
export interface FindRequest {
  readonly clientId: string;
  /** In the order in which they are tried. */
  readonly pairs: readonly Pair[];
  readonly tags: Tags;
  readonly playerIds: readonly string[];
  /** The lobby to make when nothing fits; null when none may be made. */
  readonly create: NewLobby | null;
  /** What to answer when nothing fits and `create` is null. */
  readonly createRefusal: RefusalCode;
  /** Why `create` cannot be started just now. It is the answer only where the lobby would be made otherwise. */
  readonly startRefusal?: RefusalCode;
  /** Also tell why each lobby was or was not chosen. */
  readonly explain?: boolean;
}

/** `created` by a player's call, `registered` by a server token, `warm` ahead of need; `found` is find's own creation. */
export type CreateReason = "found" | "created" | "registered" | "warm";

/** The last four are the rules' own reasons. */
export type StopReason =
  | "self"
  | "operator"
  | "crashed"
  | "start_failed"
  | "namespace_removed"
  /** The machine that ran it has been gone for too long. */
  | "node_lost"
  | "not_ready"
  | "empty"
  | "outdated"
  | "silent";

/** Those of the public contract keep its names without the MATCHMAKER_ prefix; the last four stay inside. */
export type RefusalCode =
  | "NO_VERSION_DEPLOYED"
  | "NO_AVAILABLE_LOBBIES"
  | "LOBBY_NOT_FOUND"
  | "LOBBY_STOPPED"
  | "LOBBY_FULL"
  | "JOIN_DISABLED"
  | "TOO_MANY_LOBBIES"
  | "TOO_MANY_PLAYERS_FROM_SOURCE"
  | "PLAYER_ALREADY_CONNECTED"
  | "PLAYER_IN_DIFFERENT_LOBBY"
  | "PLAYER_RESERVATION_EXPIRED"
  | "PLAYER_REMOVED"
  | "IDEMPOTENCY_KEY_REUSED"
  | "CREATE_DISABLED"
  /** The client spent its budget of lobbies that its finds may cause. Only ever a find's own `startRefusal`. */
  | "API_RATE_LIMIT"
  /** Nothing here can start the lobby's server. Only ever a find's own `startRefusal`. */
  | "START_FAILED"
  | "NAMESPACE_NOT_EMPTY"
  /** Load the namespace's configuration, push it with `configure`, build the command again. */
  | "STALE_REVISION"
  /** The warm pool of this game mode and region is full. */
  | "NOT_NEEDED"
  /** Another node runs the lobby already. */
  | "ALREADY_PLACED"
  /** Another node has taken over what the sender does. */
  | "LEASE_LOST";

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /** Of a find that asked for it and was refused by what it found. */
  readonly explanation?: Explanation;
}

/** Why the operator's flag keeps find away from a lobby. */
export type OperatorClose =
  | "operator"
  /** The server token that registered it was revoked. */
  | "token_revoked";

/** Clients whose address is in a range: of IPv6 ones the first 32 bits of their /64 are all `high`; of IPv4 that is 0. */
export interface ClientRange {
  readonly family: 4 | 6;
  readonly high: number;
  readonly from: number;
  readonly to: number;
}

export type LobbyStatus = "starting" | "ready" | "stopped";

/** A lobby as it was when it was read; nothing in it changes afterwards. */
export interface LobbyView extends NewLobby {
  readonly status: LobbyStatus;
  /** The lobby's own flag. */
  readonly isClosed: boolean;
  /** The operator's flag; null: not set. Find avoids a lobby while either is set. */
  readonly operatorClose: OperatorClose | null;
  readonly isSilent: boolean;
  /** Its version is not the deployed one. */
  readonly isOutdated: boolean;
  readonly reserved: number;
  readonly connected: number;
  /** JSON text; null when the lobby has set none. */
  readonly state: string | null;
  /** The node that runs its server; null: nobody has been chosen yet, or there is only one. */
  readonly nodeId: string | null;
  readonly createReason: CreateReason;
  /** The client that caused it, or the id of the server token that registered it. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly readyAt: number | null;
  readonly lastHeartbeatAt: number | null;
  readonly silentSince: number | null;
  /** Null while a seat is taken. */
  readonly emptySince: number | null;
  /** The most seats that were ever taken at once. */
  readonly peakSeats: number;
  readonly stoppedAt: number | null;
  readonly stopReason: StopReason | null;
  readonly exit: string | null;
}

/** `left` by disconnecting, missing from heartbeats or a block of its client, `ended` with the lobby, `released` by a call that gave up waiting. */
export type SeatStatus = "reserved" | "connected" | "expired" | "left" | "ended" | "released";

export interface PlayerView {
  readonly playerId: string;
  readonly lobbyId: string;
  readonly clientId: string;
  readonly status: SeatStatus;
  readonly reservedAt: number;
  readonly connectedAt: number | null;
  /** When the reservation ends; null while the lobby is starting, and once connected. */
  readonly expiresAt: number | null;
}
