import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The answer is a stream of events; its body is read with `events`. */
  readonly stream: EventStream | null;
}

interface EventStream {
  /** The data of all whole events that have come so far. */
  events(): { readonly name: string; readonly data: string }[];
  close(): void;
}

/** One connection that is kept as long as the service keeps it, for one request at a time, sent as the bytes that it is given. */
export interface FuzzConnection {
  /** Null: the service closed the connection without an answer. */
  send(bytes: Buffer, isHead: boolean): Promise<RawAnswer | null>;
  close(): void;
}

export function openFuzzConnection(port: number): FuzzConnection {
  let socket: Socket | null = null;

  async function connected(): Promise<Socket> {
    if (socket !== null && !socket.destroyed && socket.writable && socket.readable) return socket;
    const opened = connect({ port, host: "127.0.0.1", noDelay: true });
    opened.on("error", () => {});
    await once(opened, "connect");
    socket = opened;
    return opened;
  }

  return {
    async send(bytes, isHead) {
      const used = await connected();
      const answer = await exchange(used, bytes, isHead);
      const isOver = answer === null || answer.headers.get("connection") === "close";
      if (isOver && answer?.stream == null) used.destroy();
      // A stream keeps its connection; the next request gets another one.
      if (isOver || answer.stream !== null) socket = null;
      return answer;
    },
    close: () => socket?.destroy(),
  };
}

function exchange(socket: Socket, bytes: Buffer, isHead: boolean): Promise<RawAnswer | null> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const finish = (answer: RawAnswer | null) => {
      socket.off("data", take).off("close", end);
      resolve(answer);
    };
    const take = (piece: Buffer) => {
      received = received.length === 0 ? piece : Buffer.concat([received, piece]);
      const answer = parse(socket, received, isHead);
      if (answer !== null) finish(answer);
    };
    const end = () => finish(null);
    socket.on("data", take).on("close", end);
    if (socket.destroyed) end();
    else socket.write(bytes);
  });
}

function parse(socket: Socket, received: Buffer, isHead: boolean): RawAnswer | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  // "100 Continue" comes before the answer.
  if (received.toString("latin1", 9, 10) === "1") return parse(socket, received.subarray(end + 4), isHead);
  const [statusLine = "", ...lines] = received.toString("latin1", 0, end).split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const status = Number(statusLine.split(" ")[1]);
  const rest = received.subarray(end + 4);
  if (status === 200 && !isHead && headers.get("content-type")?.startsWith("text/event-stream")) {
    return { status, headers, body: Buffer.alloc(0), stream: readEvents(socket, rest) };
  }
  const empty = isHead || status === 204 || status === 304;
  if (headers.get("transfer-encoding") === "chunked" && !empty) {
    const { body, isWhole } = unchunk(rest);
    return isWhole ? { status, headers, body, stream: null } : null;
  }
  const length = empty ? 0 : Number(headers.get("content-length") ?? 0);
  return rest.length < length ? null : { status, headers, body: rest.subarray(0, length), stream: null };
}

/** The chunks that have come whole. */
function unchunk(bytes: Buffer): { body: Buffer; isWhole: boolean } {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    const length = line < 0 ? 0 : Number.parseInt(bytes.toString("latin1", at, line), 16);
    const isHere = line >= 0 && bytes.length >= line + 4 + length;
    if (!isHere || length === 0) return { body: Buffer.concat(pieces), isWhole: isHere };
    pieces.push(bytes.subarray(line + 2, line + 2 + length));
    at = line + 4 + length;
  }
}

function readEvents(socket: Socket, first: Buffer): EventStream {
  const pieces: Buffer[] = [first];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  return {
    events() {
      const text = unchunk(Buffer.concat(pieces)).body.toString("utf8");
      const whole = text.slice(0, text.lastIndexOf("\n\n") + 1);
      return whole.split("\n\n").flatMap((event) => {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        return data === undefined ? [] : [{ name: /^event: (.*)$/m.exec(event)?.[1] ?? "message", data }];
      });
    },
    close: () => socket.destroy(),
  };
}
