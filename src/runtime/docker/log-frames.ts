import type { LogStream } from "../runtime.ts";

/** A piece of a container's output, with the time at which the engine received it. */
export interface LogFrame {
  readonly stream: LogStream;
  /** Nanoseconds; Podman says whole seconds only. */
  readonly at: bigint;
  readonly text: Buffer;
}

const headerBytes = 8;
const frameMaxBytes = 64 * 1024 * 1024;

/** Cuts the engine's log stream into frames: a header with stream and length, then a time, a space and the output. */
export function createFrameReader(): (chunk: Buffer) => LogFrame[] {
  let rest: Buffer = Buffer.alloc(0);

  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: LogFrame[] = [];
    while (rest.length >= headerBytes) {
      const length = rest.readUInt32BE(4);
      if (length > frameMaxBytes) throw new Error(`the engine announced a piece of log of ${length} bytes`);
      if (rest.length < headerBytes + length) break;
      const frame = readFrame(rest[0], rest.subarray(headerBytes, headerBytes + length));
      if (frame) frames.push(frame);
      rest = rest.subarray(headerBytes + length);
    }
    return frames;
  };
}

function readFrame(kind: number | undefined, payload: Buffer): LogFrame | null {
  const space = payload.indexOf(32);
  const at = space < 0 ? null : parseTime(payload.toString("latin1", 0, space));
  if (at === null) return null;
  return { stream: kind === 2 ? "stderr" : "stdout", at, text: payload.subarray(space + 1) };
}

/** Nanoseconds since 1970 of a time such as 2026-01-02T03:04:05.123456789Z; null: it is none. */
function parseTime(text: string): bigint | null {
  const [, date = "", fraction = "", zone = ""] = /^([\d-]+T[\d:]+)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const ms = Date.parse(`${date}${zone}`);
  if (Number.isNaN(ms)) return null;
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0") || "0");
}

/** As the engine wants a time in a query. */
export function toSince(at: bigint): string {
  return `${at / 1_000_000_000n}.${String(at % 1_000_000_000n).padStart(9, "0")}`;
}
