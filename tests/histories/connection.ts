import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service says, and the caller looks into it.
  readonly json: any;
}

/** The server had too much to do, and said so. */
export function isTurnedAway({ status, json }: Answer): boolean {
  return status === 503 && json?.code === "API_UNAVAILABLE";
}

export interface Connection {
  send(method: string, path: string, token: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): void;
}

/** One connection that is kept, with one request at a time: as little client as possible, so that the load is the server's. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const answers = readAnswers(socket);
  return {
    async send(method, path, token, body, headers = {}) {
      const text = body === undefined ? "" : JSON.stringify(body);
      const lines = [`${method} ${path} HTTP/1.1`, "host: localhost", `authorization: Bearer ${token}`];
      if (body !== undefined)
        lines.push("content-type: application/json", `content-length: ${Buffer.byteLength(text)}`);
      for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
      socket.write(`${lines.join("\r\n")}\r\n\r\n${text}`);
      return answers.next();
    },
    close: () => socket.destroy(),
  };
}

function readAnswers(socket: Socket) {
  let buffered: Buffer = Buffer.alloc(0);
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;
  let failure: Error | null = null;

  const fail = (error: Error) => {
    failure ??= error;
    waiting?.reject(failure);
    waiting = null;
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The connection was closed.")));
  socket.on("data", (piece: Buffer) => {
    buffered = buffered.length === 0 ? piece : Buffer.concat([buffered, piece]);
    const answer = parse();
    if (answer === null) return;
    const { resolve } = waiting ?? { resolve: () => undefined };
    waiting = null;
    resolve(answer);
  });

  function parse(): Answer | null {
    const headEnd = buffered.indexOf("\r\n\r\n");
    if (headEnd < 0) return null;
    const head = buffered.toString("latin1", 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (buffered.length < end) return null;
    const text = buffered.toString("utf8", headEnd + 4, end);
    buffered = buffered.subarray(end);
    return { status: Number(head.slice(9, 12)), json: text === "" ? null : JSON.parse(text) };
  }

  return {
    next: () =>
      new Promise<Answer>((resolve, reject) => {
        if (failure !== null) reject(failure);
        else waiting = { resolve, reject };
      }),
  };
}

/** As many connections as asked for; a request takes one that is free. */
export async function openConnections(port: number, count: number) {
  const all = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  const free = [...all];
  const waiting: ((connection: Connection) => void)[] = [];
  const take = () => {
    const connection = free.pop();
    return connection ?? new Promise<Connection>((resolve) => waiting.push(resolve));
  };
  return {
    /** `onSent` is called at the moment when the request goes out. */
    async send(onSent: () => void, ...request: Parameters<Connection["send"]>): Promise<Answer> {
      const connection = await take();
      try {
        onSent();
        return await connection.send(...request);
      } finally {
        const next = waiting.shift();
        if (next) next(connection);
        else free.push(connection);
      }
    },
    close() {
      for (const connection of all) connection.close();
    },
  };
}

export type Connections = Awaited<ReturnType<typeof openConnections>>;
