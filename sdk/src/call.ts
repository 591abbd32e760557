import { FoyerError, noAnswer, readRefusal } from "./error.ts";
import { type RetryOptions, retry } from "./retry.ts";
import { readStream } from "./stream.ts";

export type { StreamEvent } from "./stream.ts";

/** How an operation is called; generated/calls.ts has one per operation. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly hasBody?: true;
  /** The body is sent as it is, and not as JSON. */
  readonly takesBytes?: true;
  readonly hasQuery?: true;
  /** It takes an Idempotency-Key, so that a repeated call takes no second seat. */
  readonly hasKey?: true;
  /** It may be sent again when its answer was lost. */
  readonly isRepeatable?: true;
  /** The list that each page of the answer carries. */
  readonly items?: string;
  /** The answer is a stream of events: always, or when this field of the query is true. */
  readonly streams?: true | string;
}

export interface ClientOptions {
  /** Where Foyer is, such as `https://foyer.example.com`. In a browser: the origin of the page, if absent. */
  readonly endpoint?: string;
  /** Absent: a page on a domain that the namespace trusts needs none. */
  readonly token?: string;
  /** In place of the platform's fetch. */
  readonly fetch?: typeof fetch;
  readonly retry?: RetryOptions;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface KeyedCallOptions extends CallOptions {
  /** 1 to 128 visible ASCII characters. Absent: the SDK makes a new one for each call. */
  readonly idempotencyKey?: string;
}

export interface StreamOptions extends CallOptions {
  /** The id of the last event received: the stream continues after it. */
  readonly lastEventId?: string;
}

/** The content of a file. */
export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

/** One page when awaited; with `for await` the items of all pages, each page read when it is needed. */
export interface Page<Answer, Items extends keyof Answer>
  extends Promise<Answer>,
    AsyncIterable<Answer[Items] extends readonly (infer Item)[] ? Item : never> {}

type AllOptions = KeyedCallOptions & StreamOptions;
type Input = Readonly<Record<string, unknown>>;

/** Sends an operation's call with its arguments in the order of its method. */
export type Send = (call: Call, args: readonly unknown[]) => unknown;

export function createSend(options: ClientOptions): Send {
  const endpoint = (options.endpoint ?? pageOrigin()).replace(/\/+$/, "");
  const request: typeof fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));

  async function open(call: Call, path: string, body: unknown, given: AllOptions, key: string | null) {
    const headers: Record<string, string> = {};
    if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`;
    if (body !== undefined) headers["content-type"] = call.takesBytes ? "application/octet-stream" : "application/json";
    if (key !== null) headers["idempotency-key"] = key;
    if (given.lastEventId !== undefined) headers["last-event-id"] = given.lastEventId;
    const response = await request(endpoint + path, {
      method: call.method,
      headers,
      ...(body !== undefined && { body: call.takesBytes ? (body as Bytes) : JSON.stringify(body) }),
      ...(given.signal && { signal: given.signal }),
    }).catch((error: unknown) => {
      given.signal?.throwIfAborted();
      throw noAnswer(endpoint, error);
    });
    if (!response.ok) throw await readRefusal(response);
    return response;
  }

  function answer(call: Call, path: string, body: unknown, given: AllOptions): Promise<unknown> {
    const key = call.hasKey ? (given.idempotencyKey ?? newKey()) : null;
    return retry({ isRepeatable: call.isRepeatable === true, signal: given.signal, ...options.retry }, async () => {
      const response = await open(call, path, body, given, key);
      const read = response.text().then((text) => (text === "" ? undefined : JSON.parse(text)));
      return read.catch((error: unknown) => {
        throw noAnswer(endpoint, error);
      });
    });
  }

  return (call, args) => {
    const { path, body, query, given } = readArguments(call, args);
    if (call.streams === true || (call.streams !== undefined && query[call.streams] === true)) {
      return readStream(() => open(call, path + encode(query), undefined, given, null));
    }
    const ask = (more: Input) => answer(call, path + encode({ ...query, ...more }), body, given);
    return call.items === undefined ? ask({}) : createPage(ask, call.items);
  };
}

/** Path parameters first, then the body or the query, then the options. */
function readArguments({ path, hasBody, hasQuery }: Call, args: readonly unknown[]) {
  const rest = [...args];
  const filled = path.replace(/\{\w+\}/g, (name) => {
    const value = rest.shift();
    if (typeof value !== "string" || value === "") throw new TypeError(`${name.slice(1, -1)} must be a text.`);
    return encodeURIComponent(value);
  });
  const body = hasBody ? (rest.shift() ?? undefined) : undefined;
  // The caller's types are those of the generated methods.
  const query = (hasQuery ? (rest.shift() ?? {}) : {}) as Input;
  const given = (rest.shift() ?? {}) as AllOptions;
  return { path: filled, body, query, given };
}

function encode(query: Input): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

function createPage(ask: (more: Input) => Promise<unknown>, items: string): Promise<unknown> & AsyncIterable<unknown> {
  const first = ask({});
  async function* all() {
    for (let page = first; ; ) {
      const answer = (await page) as Record<string, unknown>;
      yield* answer[items] as unknown[];
      if (typeof answer.cursor !== "string") return;
      page = ask({ cursor: answer.cursor });
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: all });
}

function pageOrigin(): string {
  const { location } = globalThis as { location?: { origin?: string } };
  if (location?.origin?.startsWith("http")) return location.origin;
  throw new FoyerError("NOT_CONFIGURED", "No endpoint was given: pass `endpoint`, such as http://127.0.0.1:7100.", {});
}

/** Not randomUUID, which browsers have on https and localhost only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
