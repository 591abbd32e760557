import type { Explanation } from "./explanation.ts";
import type { FindRequest, LobbyStatus, LobbyView, Pair, PlayerView, Refusal } from "./types.ts";

/** What can be asked of a namespace without changing it, and what it answers. Import it from commands.ts. */

/** A query sees the namespace as of `now`: what is due then has ended. */
interface QueryBase {
  readonly namespaceId: string;
  readonly now: number;
}

/** A lobby by its id, stopped ones as long as they are remembered. */
export interface GetLobby extends QueryBase {
  readonly type: "lobby";
  readonly lobbyId: string;
}

/** A seat by its id, ended ones as long as they are remembered, with its lobby. */
export interface GetSeat extends QueryBase {
  readonly type: "seat";
  readonly playerId: string;
}

/** The taken seat of a key that a server token vouched for, with its lobby. */
export interface GetSeatByKey extends QueryBase {
  readonly type: "seatByKey";
  readonly key: string;
}

/** Where the next page of the public list begins: after this lobby. */
export interface ListCursor extends Pair {
  readonly lobbyId: string;
}

/** The public list: ready, public, speaking lobbies of the deployed version, by game mode, region and id. */
export interface ListLobbies extends QueryBase {
  readonly type: "listLobbies";
  /** The listable game modes wanted. */
  readonly gameModes: readonly string[];
  /** Null: every region. */
  readonly region: string | null;
  readonly after: ListCursor | null;
  readonly limit: number;
  /** The page ends before the lobby whose state would make it larger; one lobby there is always. Absent: any size. */
  readonly stateBytesMax?: number;
}

/** The operator's list: every lobby by id. */
export interface ListAllLobbies extends QueryBase {
  readonly type: "listAllLobbies";
  readonly includeStopped: boolean;
  /** Only lobbies in which a player with this key has a seat. */
  readonly playerKey?: string;
  readonly after: string | null;
  readonly limit: number;
}

/** Which of many lobbies a caller needs. */
export interface WantedLobbies {
  /** Absent: any that lives. */
  readonly status?: LobbyStatus | "any";
  /** Empty: on no node. Absent: wherever they are. */
  readonly nodeId?: string;
  /** On a node, but on none of these. */
  readonly exceptNodeIds?: readonly string[];
}

/** Lobbies of one kind by id, looked for in bounded steps. */
export interface PickLobbies extends QueryBase {
  readonly type: "pickLobbies";
  readonly wanted: WantedLobbies;
  readonly after: string | null;
}

/** Taken seats of a lobby, the earliest first. */
export interface ListPlayers extends QueryBase {
  readonly type: "players";
  readonly lobbyId: string;
}

interface GetStatistics extends QueryBase {
  readonly type: "statistics";
}

interface GetCounts extends QueryBase {
  readonly type: "counts";
}

/** How many lobbies to start ahead of need, never more than the namespace may still have. */
export interface MissingIdle extends QueryBase {
  readonly type: "missingIdle";
}

/** What a find would do, without doing it. */
export interface PreviewFind extends QueryBase, FindRequest {
  readonly type: "previewFind";
  readonly revision: number;
}

/** Every namespace the engine knows. The only query that is not about one of them. */
interface ListNamespaces {
  readonly type: "namespaces";
}

type NamespaceQuery =
  | GetLobby
  | GetSeat
  | GetSeatByKey
  | ListLobbies
  | ListAllLobbies
  | PickLobbies
  | ListPlayers
  | GetStatistics
  | GetCounts
  | MissingIdle
  | PreviewFind;
export type Query = NamespaceQuery | ListNamespaces;

export type QueryType = Query["type"];
export type NamespaceQueryType = NamespaceQuery["type"];
export type NamespaceQueryOf<T extends NamespaceQueryType> = Extract<NamespaceQuery, { type: T }>;
export type QueryOf<T extends QueryType> = Extract<Query, { type: T }>;

interface PairPlayers extends Pair {
  readonly playerCount: number;
}

interface Answers {
  readonly lobby: LobbyView | null;
  readonly seat: { readonly player: PlayerView; readonly lobby: LobbyView } | null;
  readonly seatByKey: { readonly player: PlayerView; readonly lobby: LobbyView } | null;
  readonly listLobbies: { readonly lobbies: readonly LobbyView[]; readonly next: ListCursor | null };
  readonly listAllLobbies: { readonly lobbies: readonly LobbyView[]; readonly next: string | null };
  /** A step may find none, and there may be more all the same. */
  readonly pickLobbies: { readonly lobbies: readonly LobbyView[]; readonly next: string | null };
  readonly players: readonly PlayerView[];
  /** Taken seats over all versions; pairs without any are left out. By game mode, then region. */
  readonly statistics: { readonly playerCount: number; readonly pairs: readonly PairPlayers[] };
  readonly counts: {
    /** Null: never configured, or removed. */
    readonly revision: number | null;
    readonly starting: number;
    readonly ready: number;
    readonly reserved: number;
    readonly connected: number;
    readonly held: number;
    readonly nextDueAt: number | null;
  };
  readonly missingIdle: readonly (Pair & { readonly missing: number })[];
  readonly previewFind:
    | {
        readonly ok: true;
        readonly lobby: LobbyView | null;
        readonly wouldCreate: boolean;
        readonly explanation?: Explanation;
      }
    | Refusal;
  /** By id. */
  readonly namespaces: readonly { readonly namespaceId: string; readonly nextDueAt: number | null }[];
}

export type Answer<T extends QueryType> = Answers[T];
