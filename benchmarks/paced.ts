import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile, type Sent, type Target } from "./load.ts";

/**
 * Sends requests at a steady rate, whether earlier ones were answered or not, and counts each one's time from when it
 * was due: a server that stops for a moment is then charged for everybody who came meanwhile. (autocannon's own rates
 * send each second's requests all at once at its beginning.) It writes to sockets itself, because node:http takes as
 * much of the machine for a request as the server does, and its stops would count as the server's.
 */
export async function pacedP99(
  target: Target,
  perSecond: number,
  seconds: number,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const requests = target.requestsOf(0).map((sent) => requestText(target, sent));
  const total = perSecond * seconds;
  const times: number[] = [];
  /** When each was due that no connection was free for. */
  const waiting: number[] = [];
  let fault: Error | null = null;
  const connections = await Promise.all(
    Array.from({ length: target.connections }, () =>
      openConnection(target, (dueAt) => {
        times.push(performance.now() - dueAt);
        return waiting.shift() ?? null;
      }),
    ),
  );
  for (const connection of connections) {
    connection.onError = (error) => {
      fault = error;
    };
  }
  const startedAt = performance.now();
  let made = 0;
  while (made < total && fault === null) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
    for (; made < due; made++) {
      const dueAt = startedAt + (made / perSecond) * 1000;
      const text = requests[made % requests.length]!;
      const free = connections.find((connection) => !connection.isBusy());
      if (free) free.send(text, dueAt);
      else waiting.push(dueAt);
    }
    await sleep(1);
  }
  while (times.length < total && fault === null) await sleep(1);
  for (const connection of connections) connection.end();
  if (fault !== null) throw fault;

  // In the first second the server gets used to it.
  const settled = times.slice(perSecond).sort((a, b) => a - b);
  return { p50Ms: quantile(settled, 0.5), p99Ms: quantile(settled, 0.99) };
}

/** The whole request, made once: the client shares its machine with the server. */
function requestText(target: Target, { body, headers }: Sent): string {
  // autocannon, which may have sent it before, has then added the length of the body to its headers.
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-length");
  const added = { host: new URL(target.server.url).host, "content-length": Buffer.byteLength(body) };
  const lines = [...Object.entries(added), ...own].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${target.method} ${target.path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

interface Connection {
  isBusy(): boolean;
  send(text: string, dueAt: number): void;
  end(): void;
  onError(error: Error): void;
}

/** `onAnswer` gives when the next request was due that this connection should send, if there is one. */
async function openConnection(target: Target, onAnswer: (dueAt: number) => number | null): Promise<Connection> {
  const { hostname, port } = new URL(target.server.url);
  const socket: Socket = connect(Number(port), hostname).setNoDelay(true).setEncoding("latin1");
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let received = "";
  let dueAt: number | null = null;
  let lastText = "";
  const connection: Connection = {
    isBusy: () => dueAt !== null,
    send(text, due) {
      dueAt = due;
      lastText = text;
      socket.write(text);
    },
    end: () => socket.destroy(),
    onError: () => {},
  };
  socket.on("error", (error) => connection.onError(error));
  socket.on("data", (piece: string) => {
    received += piece;
    const body = bodyOf(received);
    if (body === null || dueAt === null) return;
    if (!/^HTTP\/1\.1 2/.test(received) || !target.accepts(body)) {
      connection.onError(new Error(`${target.name} answered ${received}`));
    }
    received = "";
    const next = onAnswer(dueAt);
    dueAt = null;
    if (next !== null) connection.send(lastText, next);
  });
  return connection;
}

/** Null: it is not all there yet. Answers without a length have no body. */
function bodyOf(answer: string): string | null {
  const headEnd = answer.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? 0);
  const body = answer.slice(headEnd + 4);
  return body.length >= length ? body : null;
}
