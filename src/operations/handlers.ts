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
  /** Where a listener that reconnects wants its stream to continue. */
  readonly lastEventId: string | undefined;
  readonly whenGone: WhenGone;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
}

/** What an operation that streams answers. The sender closes the reader. */
export interface EventStream {
  readonly reader: EventReader;
  /** The subject of the stream was deleted. */
  isOver(): Promise<boolean>;
}

type AnswerOf<O extends Operation> = {
  readonly always: EventStream;
  readonly sometimes: EventStream | ReplyOf<O>;
  readonly never: ReplyOf<O>;
}[StreamsOf<O>];

/** Every operation may answer these two: a token, or its owner, may be deleted before the handler runs. */
type Handler<O extends Operation, K extends CallerKind, Given = unknown> = (
  request: Request<O, K> & Given,
) => Promise<AnswerOf<O> | Refusal<ErrorOf<O> | "TOKEN_INVALID" | "TOKEN_REVOKED">>;

/** What a handler may add to the entry of its change. */
export type ChangeDetails = Partial<Pick<AuditEntry, "gameId" | "namespaceId" | "target">>;

/** The store for the change: its transaction also records the change in the audit log. */
interface Recording {
  record(details?: ChangeDetails): Db;
}

type GivenTo<O extends Operation> = IsChange<O> extends true ? Recording : unknown;
type RealCallers<O extends Operation> = Exclude<O["callers"][number], "dev">;

/** The implementation of an operation. Not called for development tokens, which get the answer of a mock. */
export type Handlers = {
  readonly [Id in OperationId]: Handler<Operations[Id], RealCallers<Operations[Id]>, GivenTo<Operations[Id]>>;
};

/** The same for callers that serve requests: changes are recorded. */
export type ServedHandlers = {
  readonly [Id in OperationId]: Handler<Operations[Id], RealCallers<Operations[Id]>>;
};

/** The answers for development tokens, for every operation that accepts them. */
export type Mocks = {
  readonly [Id in OperationIdOf<"dev">]: Handler<Operations[Id], "dev">;
};
