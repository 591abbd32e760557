import type { Config } from "../config.ts";
import type {
  BodyOf,
  CallerKind,
  ErrorOf,
  IsChange,
  Operation,
  ParamsOf,
  QueryOf,
  ReplyOf,
  StreamsOf,
} from "../contract/define.ts";
import type { ErrorCode } from "../contract/errors.ts";
import type { OperationId, OperationIdOf, Operations } from "../contract/index.ts";
import type { Engine, SharedEvents } from "../engine/engine.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { Counted } from "../rates.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { StartGate } from "../runtime/start-gate.ts";
import type { StartPlaces } from "../runtime/start-places.ts";
import type { AuditEntry } from "../store/audit.ts";
import type { Db } from "../store/db.ts";
import type { DerivedTokens } from "../tokens.ts";
import type { CreationBudget } from "./creation-budget.ts";
import type { Place } from "./distances.ts";
import type { EventReader } from "./event-feed.ts";
import type { Happenings } from "./happenings.ts";
import type { LobbyServers } from "./lobby-servers.ts";
import type { NamespaceConfigs } from "./namespace-configs.ts";
import type { ChangeDetails } from "./record-changes.ts";
import type { SeatBudget } from "./seat-budget.ts";
import type { TokenUses } from "./token-uses.ts";
import type { Waiting } from "./waiting.ts";

/** What operations work with. Clock and ids come from here, so that tests can move them. */
export interface Context {
  readonly db: Db;
  readonly config: Config;
  readonly tokens: DerivedTokens;
  readonly tokenUses: TokenUses;
  readonly engine: Engine;
  /** Null: this node is the only one that tells of events. */
  readonly sharedEvents: SharedEvents | null;
  readonly configs: NamespaceConfigs;
  readonly waiting: Waiting;
  readonly creationBudget: CreationBudget;
  readonly seatBudget: SeatBudget;
  readonly happenings: Happenings;
  /** Starts the lobbies of modes with the process runtime; null: this service has no driver. */
  readonly runtime: Runtime | null;
  /** What is known of lobby servers, also of those that ran before the service was told to start no more. */
  readonly lobbyServers: LobbyServers;
  /** The nodes of the installation, this one included. */
  readonly nodes: Nodes;
  /** Knows which game modes' lobbies keep failing. */
  readonly gate: StartGate;
  /** Knows how much room there is for new lobbies that Foyer runs. */
  readonly places: StartPlaces;
  /** Says in the log, now and then, why players are refused what they ask for: they are told what it means, not why. */
  tellOperator(message: string): void;
  /** Says in the log that a change was made and recorded. */
  logChange(entry: AuditEntry): void;
  now(): number;
  newId(): string;
}

/** Where a game server under development listens; kept with its development token. */
export interface DevelopmentServer {
  readonly hostname: string;
  readonly ports: Readonly<Record<string, DevelopmentPort>>;
}

export interface DevelopmentPort {
  readonly protocol: string;
  readonly port: number | null;
  readonly portRange: { readonly min: number; readonly max: number } | null;
}

/** Who is calling, as far as the token or the origin proves it. */
export type Caller =
  | { readonly kind: "admin" }
  | { readonly kind: "cloud"; readonly tokenId: string; readonly gameId: string }
  | { readonly kind: "pub"; readonly tokenId: string; readonly namespaceId: string }
  | { readonly kind: "origin"; readonly namespaceId: string }
  | {
      readonly kind: "dev";
      readonly tokenId: string;
      readonly gameId: string;
      readonly namespaceId: string;
      readonly server: DevelopmentServer;
    }
  | {
      readonly kind: "server";
      readonly tokenId: string;
      readonly namespaceId: string;
      /** Of its token, by which it is looked up again. */
      readonly tokenHash: string;
    }
  | { readonly kind: "lobby"; readonly namespaceId: string; readonly lobbyId: string };

export type CallerOf<K extends CallerKind> = Extract<Caller, { kind: K }>;

/** What an operator's token is called where it has a share of something; the admin token has no row, so no id. */
export function tokenIdOf(caller: CallerOf<"admin" | "cloud">): string {
  return caller.kind === "admin" ? "admin" : caller.tokenId;
}

/** The player's machine. Its id is an IPv4 address or the /64 of an IPv6 one. */
export interface Client extends Counted {
  /** False for direct loopback requests, to which no rate limit applies. */
  readonly isLimited: boolean;
  /** Where it is, when a trusted proxy tells. */
  readonly place: Place | null;
}

/** Calls back when the client goes away before it has its answer, at once if it is gone. The result stops listening. */
export type WhenGone = (listener: () => void) => () => void;

interface Request<O extends Operation, K extends CallerKind> {
  readonly caller: CallerOf<K>;
  readonly client: Client;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** Where a listener that comes back wants its stream to go on. */
  readonly lastEventId: string | undefined;
  readonly whenGone: WhenGone;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
}

export interface Fault {
  readonly path: string[];
  readonly message: string;
}

const refusal = Symbol("refusal");

/** A "no" that is part of the contract. Handlers return it; only codes that the operation declares compile. */
export interface Refusal<C extends ErrorCode = ErrorCode> {
  readonly [refusal]: true;
  readonly code: C;
  readonly message: string;
  readonly errors: readonly Fault[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly retryAfterS: number | null;
}

export function refuse<C extends ErrorCode>(
  code: C,
  message: string,
  more: { errors?: readonly Fault[]; metadata?: Record<string, unknown>; retryAfterS?: number } = {},
): Refusal<C> {
  return {
    [refusal]: true,
    code,
    message,
    errors: more.errors ?? [],
    metadata: more.metadata ?? {},
    retryAfterS: more.retryAfterS ?? null,
  };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && refusal in value;
}

/** What an operation that streams answers. Whoever sends it closes the reader. */
export interface EventStream {
  readonly reader: EventReader;
  /** What the stream is about is gone. */
  isOver(): Promise<boolean>;
}

type AnswerOf<O extends Operation> = {
  readonly always: EventStream;
  readonly sometimes: EventStream | ReplyOf<O>;
  readonly never: ReplyOf<O>;
}[StreamsOf<O>];

/** The two are every operation's: a token, or what it belongs to, may be gone by the time the handler looks. */
type Handler<O extends Operation, K extends CallerKind, Given = unknown> = (
  request: Request<O, K> & Given,
) => Promise<AnswerOf<O> | Refusal<ErrorOf<O> | "TOKEN_INVALID" | "TOKEN_REVOKED">>;

/** The store to make the change with: the transaction that makes it then also records it in the audit log. */
interface Recording {
  record(details?: ChangeDetails): Db;
}

type GivenTo<O extends Operation> = IsChange<O> extends true ? Recording : unknown;
type RealCallers<O extends Operation> = Exclude<O["callers"][number], "dev">;

/** What an operation really does. A development token never gets here: it is answered by a mock. */
export type Handlers = {
  readonly [Id in OperationId]: Handler<Operations[Id], RealCallers<Operations[Id]>, GivenTo<Operations[Id]>>;
};

/** The same as whoever serves requests calls it: what is changed is recorded. */
export type ServedHandlers = {
  readonly [Id in OperationId]: Handler<Operations[Id], RealCallers<Operations[Id]>>;
};

/** What a development token is answered, for every operation that takes one. */
export type Mocks = {
  readonly [Id in OperationIdOf<"dev">]: Handler<Operations[Id], "dev">;
};
