import type { Explanation } from "./explanation.ts";
import type {
  ClientRange,
  CreateReason,
  FindRequest,
  IdleMinimum,
  Limits,
  LobbyView,
  NewLobby,
  Refusal,
  RefusalCode,
  SeatStatus,
  StopReason,
} from "./types.ts";

/**
 * The vocabulary of the matchmaker: what can be asked of one namespace, and what it answers. The caller that builds a
 * command first settles everything that needs no atomic step: validation, configuration, ids, the clock. Times are
 * milliseconds since the epoch, ids lower-case UUIDs, JSON that the rules never look into is text.
 */

export type * from "./explanation.ts";
export type * from "./reads.ts";
export type * from "./types.ts";

/** Every command belongs to one namespace and brings its time; a time before the last one counts as the last one. */
interface CommandBase {
  readonly namespaceId: string;
  readonly now: number;
  /** Of a command that only the holder of a lease may give: the number of the lease. A smaller one than before is refused. */
  readonly fence?: number;
}

/** Built from a cached configuration: another revision than the namespace's is refused with STALE_REVISION. */
interface RevisedCommand extends CommandBase {
  readonly revision: number;
}

/**
 * `key` is already scoped by operation; the rules scope it by client. `bodyHash` distinguishes a retry from another
 * request.
 */
export interface Idempotency {
  readonly key: string;
  readonly bodyHash: string;
}

/** Sets limits and deployed version. An older or equal revision than the namespace's changes nothing. */
export interface Configure extends CommandBase {
  readonly type: "configure";
  readonly revision: number;
  readonly limits: Limits;
  readonly deployedVersionId: string | null;
  /** Of the deployed version: how many empty lobbies are kept per game mode and region. Absent pairs keep none. */
  readonly idleMinimums: readonly IdleMinimum[];
  /** Read from the store under a lock: it wins whatever its revision, and ends a removal. */
  readonly isAuthoritative?: boolean;
}

export interface Find extends RevisedCommand, FindRequest {
  readonly type: "find";
  readonly idempotency: Idempotency | null;
}

export interface Join extends RevisedCommand {
  readonly type: "join";
  /** As for find. */
  readonly clientId: string;
  /** Null: the lobby is named by its code. */
  readonly lobbyId: string | null;
  readonly code?: string;
  readonly playerIds: readonly string[];
  /** As for find. */
  readonly keys?: readonly string[];
  readonly idempotency: Idempotency | null;
}

/** Makes a lobby: `created` seats the party of `clientId` in it; `registered` and `warm` seat no player. */
export interface CreateLobby extends RevisedCommand {
  readonly type: "createLobby";
  readonly reason: Exclude<CreateReason, "found">;
  readonly lobby: NewLobby;
  /** Null for `warm` and `registered`, and where a server token creates it. */
  readonly clientId: string | null;
  /** The id of the server token that registers it. */
  readonly registeredBy?: string;
  /** Why it cannot be started just now: the answer where it would be made otherwise. */
  readonly startRefusal?: RefusalCode;
  readonly playerIds: readonly string[];
  /** As for find. */
  readonly keys?: readonly string[];
  readonly idempotency: Idempotency | null;
}

export interface SetReady extends CommandBase {
  readonly type: "setReady";
  readonly lobbyId: string;
  /** It called ready, but stays starting until these ports accept connections; absent: all do. */
  readonly waitsFor?: string;
  /** The node that says so: refused when the lobby has been moved to another. */
  readonly nodeId?: string;
}

export interface SetClosed extends CommandBase {
  readonly type: "setClosed";
  readonly lobbyId: string;
  readonly isClosed: boolean;
}

/** The operator's flag, beside the lobby's own. */
export interface SetOperatorClosed extends CommandBase {
  readonly type: "setOperatorClosed";
  readonly lobbyId: string;
  readonly isClosed: boolean;
}

/** Closes or stops what a server token registered. It looks at a bounded number of lobbies: send it again from `next` on. */
export interface CloseRegistered extends CommandBase {
  readonly type: "closeRegistered";
  readonly tokenId: string;
  readonly action: "unroute" | "stop";
  /** Looks at lobbies with greater ids only; null: at all. */
  readonly after: string | null;
}

/** Ends the taken seats of clients. It looks at a bounded number of them: send it again from `next` on. */
export interface EndSeats extends CommandBase {
  readonly type: "endSeats";
  readonly range: ClientRange;
  /** Looks at lobbies with greater ids only; null: at all. */
  readonly after: string | null;
}

export interface SetState extends CommandBase {
  readonly type: "setState";
  readonly lobbyId: string;
  /** JSON text; null clears. */
  readonly state: string | null;
}

/** The node that starts the lobby's server reports where players reach it. */
export interface SetPorts extends CommandBase {
  readonly type: "setPorts";
  readonly lobbyId: string;
  readonly ports: string;
  /** The node that says so: refused when the lobby has been moved to another. */
  readonly nodeId?: string;
}

/**
 * Chooses the node that runs the lobby's server, once; one that is still starting may be moved from a node that is
 * down.
 */
export interface PlaceLobby extends CommandBase {
  readonly type: "placeLobby";
  readonly lobbyId: string;
  readonly nodeId: string;
  /** The node that the lobby is moved from. */
  readonly insteadOf?: string;
}

export interface Heartbeat extends CommandBase {
  readonly type: "heartbeat";
  readonly lobbyId: string;
  /** The players that the lobby itself counts; null: it did not say. */
  readonly playerIds: readonly string[] | null;
  readonly isClosed: boolean | null;
}

export interface StopLobby extends CommandBase {
  readonly type: "stopLobby";
  readonly lobbyId: string;
  readonly reason: StopReason;
  /** JSON text about how the process ended, for the operator; null when nothing is known. */
  readonly exit: string | null;
}

export interface ConnectPlayer extends CommandBase {
  readonly type: "connectPlayer";
  /** The lobby that calls. */
  readonly lobbyId: string;
  readonly playerId: string;
}

export interface DisconnectPlayer extends CommandBase {
  readonly type: "disconnectPlayer";
  /** The lobby that calls. */
  readonly lobbyId: string;
  readonly playerId: string;
  /** The player may come back, if its lobby holds seats: then a connected seat is held and any other stays as it is. */
  readonly mayReturn: boolean;
}

/** A waiting call gave up or its client left. Only for calls without an idempotency key: a key keeps its seats. */
export interface ReleaseSeats extends CommandBase {
  readonly type: "releaseSeats";
  readonly playerIds: readonly string[];
}

/** A player gives up its own seat. */
export interface ReleasePlayer extends CommandBase {
  readonly type: "releasePlayer";
  readonly playerId: string;
}

/** Ends whatever is due. Every other command does so first, so this only makes it happen without a request. */
export interface Expire extends CommandBase {
  readonly type: "expire";
  /** It also does a step of what a deploy left: send it again while the answer says that something is due. */
  readonly isRetiring?: true;
}

/** The service was down: lobbies could not send heartbeats, so their clocks restart. */
export interface Restarted extends CommandBase {
  readonly type: "restarted";
}

/** Stops every lobby and forgets the namespace. Without `force` it is refused while a lobby lives. */
export interface RemoveNamespace extends CommandBase {
  readonly type: "removeNamespace";
  readonly force: boolean;
  /** From then on the namespace counts as removed; what is in it stays until the next removal. */
  readonly onlyMark?: true;
}

export type Command =
  | Configure
  | Find
  | Join
  | CreateLobby
  | SetReady
  | SetClosed
  | SetOperatorClosed
  | CloseRegistered
  | EndSeats
  | SetState
  | SetPorts
  | PlaceLobby
  | Heartbeat
  | StopLobby
  | ConnectPlayer
  | DisconnectPlayer
  | ReleaseSeats
  | ReleasePlayer
  | Expire
  | Restarted
  | RemoveNamespace;

export type CommandType = Command["type"];
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>;

export interface Seated {
  readonly lobby: LobbyView;
  readonly playerIds: readonly string[];
  /** This command made the lobby: someone has to start its server. */
  readonly isNewLobby: boolean;
  /** A retry of an earlier call: nothing was taken. */
  readonly isReplay: boolean;
  /** Of a find that asked for it and is no retry. */
  readonly explanation?: Explanation;
}

/** A player's key, as its lobby and operators see it; nothing, if the player has none. */
export interface KeyShown {
  readonly key?: string;
  /** A server token vouches for it. */
  readonly isKeyVouched?: boolean;
}

// biome-ignore lint/complexity/noBannedTypes: an accepted command without anything to say is exactly the empty object.
type Nothing = {};

interface Outcomes {
  /** Not applied: the namespace has this revision or a newer one. */
  readonly configure: { readonly isApplied: boolean };
  readonly find: Seated;
  readonly join: Seated;
  readonly createLobby: Seated;
  /** Not changed: it was ready before. */
  readonly setReady: { readonly isChanged: boolean };
  readonly setClosed: { readonly isChanged: boolean };
  readonly setOperatorClosed: { readonly isChanged: boolean };
  /** Where to continue; null: all lobbies were read. */
  readonly closeRegistered: { readonly next: string | null };
  readonly endSeats: { readonly ended: number; readonly next: string | null };
  readonly setState: Nothing;
  readonly setPorts: Nothing;
  /** Not changed: it was placed on this node before. */
  readonly placeLobby: { readonly isChanged: boolean };
  readonly heartbeat: {
    /** The connected and the held, by id. */
    readonly players: readonly InsidePlayer[];
    /** The lobby's own flag. */
    readonly isClosed: boolean;
    readonly isClosedByOperator: boolean;
    readonly isOutdated: boolean;
    readonly heartbeatMs: number;
    readonly reconnectMs: number;
  };
  readonly stopLobby: Nothing;
  readonly connectPlayer: { readonly isReturn: boolean } & KeyShown;
  /** Not changed: the seat had ended before, or is not to be held. */
  readonly disconnectPlayer: { readonly isChanged: boolean };
  readonly releaseSeats: { readonly released: number };
  /** Not changed: the seat had ended before. */
  readonly releasePlayer: { readonly isChanged: boolean };
  /** When there is next something to do; null: nothing is waiting. */
  readonly expire: { readonly nextDueAt: number | null };
  readonly restarted: Nothing;
  readonly removeNamespace: Nothing;
}

export type Outcome<T extends CommandType> = ({ readonly ok: true } & Outcomes[T]) | Refusal;

/** A player that has connected and may still play. */
export interface InsidePlayer extends KeyShown {
  readonly playerId: string;
  readonly isHeld: boolean;
}

interface EventBase {
  readonly namespaceId: string;
  readonly at: number;
}

export interface LobbyEvent extends EventBase {
  readonly type:
    | "lobby.created"
    | "lobby.ready"
    | "lobby.closed"
    | "lobby.opened"
    /** Its state, ports or one of two closing flags were set, or it fell silent or spoke again. */
    | "lobby.changed"
    | "lobby.stopped";
  readonly lobby: LobbyView;
}

export interface PlayerEvent extends EventBase, KeyShown {
  readonly type: PlayerEventType;
  readonly lobbyId: string;
  readonly playerId: string;
  readonly status: SeatStatus;
  /** Why the seat ended, where its status does not say. */
  readonly reason?: "blocked";
}

type PlayerEventType =
  | "player.reserved"
  | "player.connected"
  | "player.held"
  | "player.returned"
  | "player.left"
  | "player.expired";

interface NamespaceEvent extends EventBase {
  readonly type: "namespace.configured";
  readonly revision: number;
  readonly deployedVersionId: string | null;
}

export type Event = LobbyEvent | PlayerEvent | NamespaceEvent;
