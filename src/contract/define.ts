import type { Static, TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";

/**
 * Who may call an operation. `origin` is a browser without a token on a domain that the namespace trusts. `none` is a
 * program without a token, or a page of the service itself; the operation checks what it sends.
 */
export type CallerKind = "admin" | "session" | "cloud" | "pub" | "origin" | "dev" | "server" | "lobby" | "none";

/** Which budget a request is counted against; config.ts holds the numbers. */
export type RateClass = "find" | "create" | "list" | "lobby" | "server" | "cloud";

export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly summary: string;
  /** What else a developer should know before calling it. */
  readonly details?: string;
  readonly callers: readonly CallerKind[];
  readonly rate: RateClass;
  readonly query: TSchema | null;
  readonly body: TSchema | null;
  /** The body may be left out. */
  readonly bodyOptional: boolean;
  readonly bodyMaxBytes: number;
  /** JSON values in the body; absent: the maximum of all operations. */
  readonly bodyValuesMax?: number;
  /** The body is bytes of any type, which the handler reads as they arrive; `body` is null. A setting limits its size. */
  readonly rawBody?: true;
  /** null: a success is 204 with zero bytes, unless the operation streams. */
  readonly reply: TSchema | null;
  /** The answer instead of `reply` when the body has `dry_run: true`. */
  readonly dryRunReply?: TSchema;
  /** Clients that accept text/csv get CSV: the rows of this field of the reply. */
  readonly csvField?: string;
  /** A success is an endless stream of server-sent events: the data of each event by its name. */
  readonly stream?: Readonly<Record<string, TSchema>>;
  /** The answer is the stream only when this query parameter is true, otherwise `reply`. */
  readonly streamWhen?: string;
  /** It changes nothing although it is not a GET, so the audit log has no entry for it. */
  readonly isCheck?: true;
  /** The codes of this operation; `listErrorCodes` adds those that its shape implies. */
  readonly errors: readonly ErrorCode[];
}

/** The names between braces in a path. */
type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

export type ParamsOf<O extends Operation> = { readonly [Name in ParamNames<O["path"]>]: string };
export type QueryOf<O extends Operation> = O["query"] extends TSchema ? Static<O["query"]> : null;
export type BodyOf<O extends Operation> = O extends { readonly rawBody: true }
  ? RawBody
  : O["body"] extends TSchema
    ? Static<O["body"]> | (O["bodyOptional"] extends true ? undefined : never)
    : null;

/** A body while it arrives. Reading it throws when the client is too slow, sends too much, or disconnects. */
export interface RawBody {
  /** What Content-Length says; null: it is chunked. */
  readonly declaredBytes: number | null;
  readonly chunks: AsyncIterable<Buffer>;
}

export type ReplyOf<O extends Operation> =
  | (O["reply"] extends TSchema ? Static<O["reply"]> : null)
  | (O extends { readonly dryRunReply: infer S extends TSchema } ? Static<S> : never);
/** Whether a handler returns a stream. */
export type StreamsOf<O extends Operation> = O extends { readonly streamWhen: string }
  ? "sometimes"
  : O extends { readonly stream: object }
    ? "always"
    : "never";
/** Whether a success is a change under `/cloud`, and so a row of the audit log. */
export type IsChange<O extends Operation> = O["method"] extends "GET"
  ? false
  : O extends { readonly isCheck: true }
    ? false
    : O["path"] extends `/cloud/${string}`
      ? true
      : false;
export type ErrorOf<O extends Operation> = O["errors"][number];

export function isChange({ method, path, isCheck }: Operation): boolean {
  return method !== "GET" && !isCheck && path.startsWith("/cloud/");
}

/** As documentation names it. */
export function describeCaller(kind: CallerKind): string {
  if (kind === "none") return "no token";
  return kind === "origin" ? "a page on a trusted domain" : `${kind} token`;
}

/** All codes of an operation: its own and those that its shape implies. */
export function listErrorCodes(operation: Operation): ErrorCode[] {
  const implied: ErrorCode[] = operation.callers.includes("none") ? [] : ["TOKEN_MISSING"];
  implied.push("TOKEN_INVALID", "TOKEN_FORBIDDEN", "API_BAD_QUERY");
  implied.push("API_BAD_BODY", "API_BODY_TOO_LARGE", "API_UNSUPPORTED_MEDIA_TYPE");
  implied.push("API_BAD_HEADER", "API_REQUEST_TIMEOUT");
  // Any token may be sent, and whether it is still valid is checked before whether it may call this.
  implied.push("TOKEN_EXPIRED", "TOKEN_REVOKED");
  if (operation.callers.some((kind) => kind === "pub" || kind === "origin")) implied.push("MATCHMAKER_CLIENT_BLOCKED");
  implied.push("API_WRONG_HOST", "API_RATE_LIMIT", "API_INTERNAL", "API_UNAVAILABLE");
  return [...new Set([...implied, ...operation.errors])];
}
