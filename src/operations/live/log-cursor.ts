import { redact } from "../../ground/redact.ts";
import { safeEnd, safeStart, secretBytes } from "../../runtime/log-text.ts";
import type { LogPiece, LogStream } from "../../runtime/runtime.ts";
import { sentEvent } from "./sse-text.ts";

/** What a lobby's process writes, and how the lobby ended. */
export interface LogSource {
  readonly stream: LogStream;
  piece(from: number, maxBytes: number): Promise<LogPiece>;
  /** Null: more may be written. */
  end(): Promise<object | null>;
}

/** How much of what was written before is sent to a listener that does not say where to go on. */
export const newestLogBytes = 256 * 1024;
/** Read at once; a longer line is sent in pieces. Nothing more is kept in memory for a listener. */
const pieceBytes = 16 * 1024;
const newline = 10;

/** Reads a log from an offset on and turns it into events. */
export interface LogCursor {
  /** How many bytes of the log are behind it. */
  offset(): number;
  /** The id of what was read last, to go on after. */
  id(): string;
  isAtEnd(): boolean;
  /** Goes to what is sent first to a listener that does not say where to go on. */
  skipToNewest(firstKept: number, written: number): void;
  /** The event that says that something was left out before here. */
  resetText(): string;
  /** What there is next, as events; "" if there is nothing yet. */
  readOn(): Promise<string>;
}

export function createLogCursor(source: LogSource, from: number): LogCursor {
  let offset = from;
  /** The rest of a line whose beginning was left out is left out as well. */
  let isInsideLine = false;
  let isAtEnd = false;
  const id = () => `${source.stream}-${offset}`;
  const resetText = () => sentEvent(id(), "reset", { event: "reset" });

  function skipToNewest(firstKept: number, written: number): void {
    offset = Math.max(firstKept, written - newestLogBytes);
    isInsideLine = offset > 0;
    // The byte before shows whether a line begins here.
    if (offset > firstKept) offset -= 1;
  }

  /** `isCut`: the last line goes on after these bytes. */
  function writeLines(bytes: Buffer, isCut: boolean): string {
    let text = "";
    for (let start = 0; start < bytes.length; ) {
      const found = bytes.indexOf(newline, start);
      const next = found === -1 ? bytes.length : found + 1;
      const line = bytes.subarray(start, found === -1 ? next : found).toString("utf8");
      offset += next - start;
      start = next;
      const isPart = found === -1 && isCut;
      const data = { event: "line", text: redact(line.replace(/\r$/, "")), ...(isPart && { is_cut: true }) };
      if (!isInsideLine) text += sentEvent(id(), "line", data);
      if (found !== -1) isInsideLine = false;
    }
    return text;
  }

  async function readOn(): Promise<string> {
    // Asked before the log is read: what was written until the end is then in what is read.
    const ended = await source.end();
    // A listener may come back to any offset, so what is before it is looked at too: half a token must not be sent.
    const before = Math.min(offset, secretBytes);
    const { bytes, start, first: firstKept, end: written } = await source.piece(offset - before, before + pieceBytes);
    if (firstKept > offset) {
      skipToNewest(firstKept, written);
      return resetText();
    }
    const skipped = offset - start;
    const isLast = ended !== null && start + bytes.length === written;
    const until = skipped + countWhole(bytes.subarray(skipped), isLast);
    const safe = until > skipped && !isInsideLine ? safeStart(bytes, skipped, start === 0, redact) : skipped;
    offset += safe - skipped;
    const text = writeLines(bytes.subarray(safe, until), bytes[until - 1] !== newline && !isLast);
    if (!isLast || until < bytes.length) return text;
    isAtEnd = true;
    return text + sentEvent(id(), "end", { event: "end", ...ended });
  }

  return { offset: () => offset, id, isAtEnd: () => isAtEnd, skipToNewest, resetText, readOn };
}

/** How many bytes can be sent: up to the last line break, unless there is none to be waited for. */
function countWhole(bytes: Buffer, isLast: boolean): number {
  const whole = bytes.lastIndexOf(newline) + 1;
  if (whole > 0) return whole;
  if (isLast) return bytes.length;
  return bytes.length < pieceBytes ? 0 : safeEnd(bytes, redact);
}
