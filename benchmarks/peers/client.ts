import { connect, type Socket } from "node:net";

/** What a player's machine sends. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** When the request was written, by performance.now(). */
  readonly startedAt: number;
  readonly ms: number;
}

/** One connection that is kept, with one request on the way at a time. */
export interface Connection {
  isOpen(): boolean;
  /** Fails when the connection ends or no answer comes in time; the connection is of no use then. */
  ask(requestText: string): Promise<HttpAnswer>;
  close(): void;
}

/** No peer is waited for longer than this for one answer. */
const answerTimeoutMs = 30_000;

/** The load tool writes to sockets itself: node:http and fetch take as much of the machine as a server does. */
async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname).setNoDelay(true).setEncoding("latin1");
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let received = "";
  let waiting: { startedAt: number; resolve(answer: HttpAnswer): void; reject(error: Error): void } | null = null;
  const fail = (reason: string) => {
    socket.destroy();
    waiting?.reject(new Error(reason));
    waiting = null;
  };
  socket.on("data", (piece: string) => {
    received += piece;
    const whole = readAnswer(received);
    if (whole === null || waiting === null) return;
    const { startedAt, resolve } = waiting;
    received = "";
    waiting = null;
    resolve({ ...whole, startedAt, ms: performance.now() - startedAt });
  });
  socket.setTimeout(answerTimeoutMs);
  socket.on("timeout", () => fail(`no answer in ${answerTimeoutMs / 1000} s`));
  socket.on("error", (error) => fail(error.message));
  socket.on("close", () => fail("the connection was closed"));
  return {
    isOpen: () => !socket.destroyed && socket.writable,
    ask: (requestText) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error("the connection is closed"));
        waiting = { startedAt: performance.now(), resolve, reject };
        socket.write(requestText);
      }),
    close: () => socket.destroy(),
  };
}

/** Servers close connections that they have not heard on for a while; those are opened again before a turn. */
export async function openConnections(
  url: string,
  count: number,
  kept: readonly Connection[] = [],
): Promise<Connection[]> {
  const open = kept.filter((connection) => connection.isOpen());
  const missing = Array.from({ length: count - open.length }, () => openConnection(url));
  return [...open, ...(await Promise.all(missing))];
}

export function requestText(url: string, { method, path, headers, body }: HttpRequest): string {
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${method} ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${head}\r\n${body}`;
}

/** Null: it is not all there yet. */
export function readAnswer(text: string): { status: number; body: string } | null {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const head = text.slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    return text.endsWith("0\r\n\r\n") ? { status, body: joinChunks(text, headEnd + 4) } : null;
  }
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const body = text.slice(headEnd + 4);
  return body.length >= length ? { status, body } : null;
}

function joinChunks(text: string, from: number): string {
  const chunks: string[] = [];
  for (let at = from; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    const length = Number.parseInt(text.slice(at, lineEnd), 16);
    if (!(length > 0)) return chunks.join("");
    chunks.push(text.slice(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}
