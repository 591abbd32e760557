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
import type { OperationId, OperationIdOf, Operations } from "../contract/index.ts";
import type { AuditEntry, Db } from "../store/db.ts";
import type { CallerOf, Client, WhenGone } from "./callers.ts";
import type { EventReader } from "./live/event-feed.ts";
import type { Refusal } from "./refusal.ts";

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

/** What an operation that streams answers. The sender closes the reader. */
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

/** What a handler may add to the entry of its change. */
export type ChangeDetails = Partial<Pick<AuditEntry, "gameId" | "namespaceId" | "target">>;

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

/** The same for callers that serve requests: changes are recorded. */
export type ServedHandlers = {
  readonly [Id in OperationId]: Handler<Operations[Id], RealCallers<Operations[Id]>>;
};

/** What a development token is answered, for every operation that takes one. */
export type Mocks = {
  readonly [Id in OperationIdOf<"dev">]: Handler<Operations[Id], "dev">;
};
