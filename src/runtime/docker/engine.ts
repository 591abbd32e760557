import { type ClientRequest, type IncomingMessage, request } from "node:http";

/** The container engine did not answer. That says nothing about its containers, which may run on. */
export class EngineAway extends Error {
  override readonly name = "EngineAway";
}

/** The engine answered no. */
export class EngineRefusal extends Error {
  override readonly name = "EngineRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface EngineCall {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly withinMs?: number;
}

/** Docker's Engine API over the socket of Docker or Podman. */
export interface Engine {
  /** The answer as JSON; null: it was empty. Rejects with an EngineAway or an EngineRefusal. */
  ask(method: string, path: string, call?: EngineCall): Promise<unknown>;
  /** The same for an answer whose end may never come. The signal ends it. */
  open(method: string, path: string, query: EngineCall["query"], signal: AbortSignal): Promise<IncomingMessage>;
}

/** Every engine since Docker 19.03 (2019) and Podman 3 speaks at least the first; Foyer was tested up to the second. */
const versionMin = [1, 40] as const;
const versionMax = [1, 47] as const;
const askWithinMs = 20_000;
const answerMaxBytes = 16 * 1024 * 1024;

export function createEngine(socketPath: string): Engine {
  /** The prefix of every path. Asked again after a failure: another engine may listen there by then. */
  let prefix: Promise<string> | null = null;

  function getPrefix(): Promise<string> {
    prefix ??= negotiate(socketPath);
    prefix.catch(() => {
      prefix = null;
    });
    return prefix;
  }

  async function connected<T>(task: (prefix: string) => Promise<T>): Promise<T> {
    try {
      return await task(await getPrefix());
    } catch (error) {
      if (error instanceof EngineAway) prefix = null;
      throw error;
    }
  }

  return {
    ask: (method, path, { query = {}, body, withinMs = askWithinMs } = {}) =>
      connected(async (of) => {
        const signal = AbortSignal.timeout(withinMs);
        const response = await send(socketPath, { method, path: `${of}${path}${toSearch(query)}`, body, signal });
        const text = await readAll(response);
        if ((response.statusCode ?? 500) >= 400) throw toError(response.statusCode ?? 500, text);
        return parse(text);
      }),
    open: (method, path, query = {}, signal) =>
      connected(async (of) => {
        const response = await send(socketPath, { method, path: `${of}${path}${toSearch(query)}`, signal });
        if ((response.statusCode ?? 500) < 400) return response;
        throw toError(response.statusCode ?? 500, await readAll(response));
      }),
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** A connection of its own for each request: it costs little on a socket of the machine, and none is ever stale. */
function send(socketPath: string, { method, path, body, signal }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = {
      host: "engine",
      "content-length": String(Buffer.byteLength(text)),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const sent: ClientRequest = request({ socketPath, method, path, headers, signal, agent: false }, resolve);
    sent.on("error", (error) => reject(toAway(error, signal)));
    sent.end(text);
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > answerMaxBytes) throw new Error(`its answer has more than ${answerMaxBytes} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    throw toAway(error, null);
  }
  return Buffer.concat(pieces).toString("utf8");
}

async function negotiate(socketPath: string): Promise<string> {
  const response = await send(socketPath, { method: "GET", path: "/_ping", signal: AbortSignal.timeout(askWithinMs) });
  await readAll(response);
  if (response.statusCode !== 200) throw new EngineAway(`its ping was answered with status ${response.statusCode}`);
  const [major = 0, minor = 0] = String(response.headers["api-version"] ?? "1.40")
    .split(".")
    .map(Number);
  if (compare([major, minor], versionMin) < 0) {
    throw new EngineRefusal(400, `it speaks version ${major}.${minor} of Docker's API, and Foyer needs 1.40 or later`);
  }
  const [chosen, of] = compare([major, minor], versionMax) > 0 ? versionMax : [major, minor];
  return `/v${chosen}.${of}`;
}

function compare(a: readonly [number, number], b: readonly [number, number]): number {
  return a[0] - b[0] || a[1] - b[1];
}

function toSearch(query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
}

function toAway(error: unknown, signal: AbortSignal | null): EngineAway {
  const why = signal?.aborted ? "it did not answer in time" : error instanceof Error ? error.message : String(error);
  return new EngineAway(`the container engine does not answer: ${why}`, { cause: error });
}

/** An engine that is being stopped answers until the end, with what it can no longer do. */
const isStoppingPattern =
  /shutting down|containerd.*(refused|no such file|closed)|transport is closing|context canceled/i;

function toError(status: number, text: string): EngineRefusal | EngineAway {
  const answer = parse(text);
  const message =
    typeof answer === "object" && answer !== null && "message" in answer ? String(answer.message) : text.slice(0, 500);
  if (status >= 500 && isStoppingPattern.test(message)) return new EngineAway(message);
  return new EngineRefusal(status, message);
}

function parse(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    // A stream of several values, or plain text: the caller reads what it expects.
    return text;
  }
}
