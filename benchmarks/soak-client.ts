import { connect, type Socket } from "node:net";

/** What came back; the status is 0 when the connection broke. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** From when it was sent. */
  readonly ms: number;
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly token: string;
  /** The player's address, as a proxy would report it. */
  readonly client: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/** Connections that are kept, each with one request at a time; calls wait for a free one. */
export interface Client {
  call(call: Call): Promise<Reply>;
  close(): void;
}

/** Each kind waits for its own kind only, as on connections of their own in reality. */
export interface Clients {
  readonly players: Client;
  /** For what servers say of their players. */
  readonly servers: Client;
  /** For what servers say of their lobbies: finds may wait until a lobby is ready. */
  readonly lobbies: Client;
}

/** About half of the requests are about seated players, and few about lobbies. */
export async function openClients(url: string, connections: number): Promise<Clients & { close(): void }> {
  const [players, servers, lobbies] = await Promise.all([
    openClient(url, connections / 2),
    openClient(url, connections / 2),
    openClient(url, lobbyConnections),
  ]);
  return {
    ...{ players, servers, lobbies },
    close() {
      for (const client of [players, servers, lobbies]) client.close();
    },
  };
}

const lobbyConnections = 8;

/**
 * It writes to sockets itself: node:http takes as much of the machine for a request as the server does, and client and server
 * share one machine here.
 */
async function openClient(url: string, connections: number): Promise<Client> {
  const { hostname, port, host } = new URL(url);
  const waiting = createQueue<{ text: string; resolve(reply: Reply): void }>();
  const free: Line[] = [];
  let isClosed = false;

  const release = (line: Line) => {
    const next = waiting.take();
    if (next === null) free.push(line);
    else line.send(next.text, next.resolve);
  };
  const lines = await Promise.all(
    Array.from({ length: connections }, () => openLine(hostname, Number(port), release, () => isClosed)),
  );
  free.push(...lines);

  return {
    call: (call) =>
      new Promise((resolve) => {
        const text = requestText(host, call);
        const line = free.pop();
        if (line === undefined) waiting.add({ text, resolve });
        else line.send(text, resolve);
      }),
    close() {
      isClosed = true;
      for (const line of lines) line.close();
    },
  };
}

/** `Array.shift` moves an array of more than about 16,000 entries as a whole, at each call. */
function createQueue<Item>() {
  let items: Item[] = [];
  let taken = 0;
  return {
    add: (item: Item) => void items.push(item),
    take(): Item | null {
      if (taken === items.length) return null;
      const item = items[taken++]!;
      if (taken === items.length) [items, taken] = [[], 0];
      return item;
    },
  };
}

interface Line {
  send(text: string, resolve: (reply: Reply) => void): void;
  close(): void;
}

/** A broken connection is opened again: a server under overload may close some. */
async function openLine(
  hostname: string,
  port: number,
  onFree: (line: Line) => void,
  isClosed: () => boolean,
): Promise<Line> {
  let socket: Socket;
  let received = "";
  let answer: ((reply: Reply) => void) | null = null;

  let sentAt = 0;

  const finish = (reply: Omit<Reply, "ms">) => {
    const resolve = answer;
    answer = null;
    received = "";
    resolve?.({ ...reply, ms: performance.now() - sentAt });
    if (resolve !== null) onFree(line);
  };
  const open = () =>
    new Promise<void>((resolve) => {
      socket = connect(port, hostname, resolve).setNoDelay(true).setEncoding("latin1");
      socket.on("error", () => {});
      socket.on("data", (piece: string) => {
        received += piece;
        const reply = replyOf(received);
        if (reply !== null) finish(reply);
      });
      socket.once("close", () => {
        if (isClosed()) return;
        void open().then(() => finish({ status: 0, body: "" }));
      });
    });
  const line: Line = {
    send(text, resolve) {
      answer = resolve;
      sentAt = performance.now();
      socket.write(text);
    },
    close: () => socket.destroy(),
  };
  await open();
  return line;
}

function requestText(host: string, { method, path, token, client, body, idempotencyKey }: Call): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const key = idempotencyKey === undefined ? "" : `idempotency-key: ${idempotencyKey}\r\n`;
  const kind = body === undefined ? "" : "content-type: application/json\r\n";
  return (
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\nx-forwarded-for: ${client}\r\n` +
    `${kind}${key}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}

/** Null: it is not all there yet. The answers of the calls here have a length, or no body. */
function replyOf(text: string): Omit<Reply, "ms"> | null {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
  if (text.length - headEnd - 4 < length) return null;
  return { status: Number(text.slice(9, 12)), body: text.slice(headEnd + 4) };
}
