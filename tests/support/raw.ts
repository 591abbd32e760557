import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Answer, answerOf } from "./harness.ts";

export interface RawConnection {
  write(text: string | Buffer): void;
  /** Says that nothing more will come, and listens on. */
  end(): void;
  /** Breaks the connection off. */
  destroy(): void;
  /** Breaks it off with a reset, as a program that crashed would. */
  reset(): void;
  /** The next whole answer; null when the other side closed without one. */
  answer(): Promise<Answer | null>;
  /** Resolves when the other side has closed. */
  closed: Promise<void>;
}

/** A connection over which a test can send what no HTTP library would. */
export async function openRaw(port: number, from: { localAddress?: string } = {}): Promise<RawConnection> {
  const socket = await connected(port, from);
  let received: Buffer = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  const closed = new Promise<void>((resolve) => {
    const over = () => {
      isClosed = true;
      wake();
      resolve();
    };
    socket.once("end", over);
    socket.once("close", over);
  });
  socket.on("data", (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    wake();
  });
  // A reset is one of the ways to be closed.
  socket.on("error", () => {});
  return {
    write: (text) => socket.write(text),
    end: () => socket.end(),
    destroy: () => socket.destroy(),
    reset: () => socket.resetAndDestroy(),
    closed,
    async answer() {
      for (;;) {
        const taken = takeAnswer(received, isClosed);
        if (taken !== null) {
          received = taken.rest;
          return taken.answer;
        }
        if (isClosed) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Sends this and resets the connection at once, as one piece of input for the other side. */
export async function sendAndReset(port: number, text: string): Promise<void> {
  const connection = await openRaw(port);
  connection.write(text);
  connection.reset();
}

/** A request that offers another protocol with 400 headers. */
export const tooManyHeadersWithOffer = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${Array.from({ length: 400 }, (_, index) => `h${index}:1\r\n`).join("")}\r\n`;

/** The errors that nothing caught meanwhile. Any of them would have ended the process. */
export async function uncaughtDuring(work: () => Promise<void>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const note = (error: unknown) => void errors.push(error);
  process.on("uncaughtException", note);
  try {
    await work();
  } finally {
    process.off("uncaughtException", note);
  }
  return errors;
}

/** A connection whose client reads nothing of what comes. */
export async function openUnread(port: number): Promise<Pick<RawConnection, "write" | "destroy">> {
  const socket = await connected(port);
  socket.pause();
  socket.on("error", () => {});
  return { write: (text) => socket.write(text), destroy: () => socket.resetAndDestroy() };
}

/**
 * Sends this from a program that never reads, on a connection for which the system keeps little: small packets and a small buffer,
 * which node cannot ask for.
 */
export async function sendUnread(port: number, text: string): Promise<{ destroy(): void }> {
  const program = `
import socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
s.connect(("127.0.0.1", ${port}))
s.sendall(sys.stdin.buffer.read())
print("sent", flush=True)
time.sleep(600)
`;
  const child = spawn("python3", ["-c", program], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(text);
  await once(child.stdout, "data");
  return { destroy: () => child.kill("SIGKILL") };
}

/** Sends this and nothing more; gives the answer. */
export async function sendRaw(
  port: number,
  text: string | Buffer,
  then: "wait" | "end" = "wait",
): Promise<Answer | null> {
  const connection = await openRaw(port);
  connection.write(text);
  if (then === "end") connection.end();
  const answer = await connection.answer();
  connection.destroy();
  return answer;
}

function connected(port: number, from: { localAddress?: string } = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...from, port, host: "127.0.0.1", allowHalfOpen: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

function takeAnswer(received: Buffer, isClosed: boolean): { answer: Answer; rest: Buffer } | null {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [statusLine = "", ...lines] = received.toString("latin1", 0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const start = end + 4;
  const length = headers["content-length"];
  const isWithout = length === undefined && headers["transfer-encoding"] === undefined;
  const stop = start + Number(length ?? 0);
  if (isWithout && !isClosed && !/ (?:1\d\d|204|304) /.test(`${statusLine} `)) return null;
  if (received.length < stop) return null;
  const bytes = isWithout && isClosed ? received.subarray(start) : received.subarray(start, stop);
  const answer = answerOf(Number(statusLine.split(" ")[1]), headers, bytes);
  return { answer, rest: received.subarray(start + bytes.length) };
}
