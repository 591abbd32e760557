import { redact } from "../../ground/redact.ts";
import { safeEnd, safeStart, secretBytes } from "../../runtime/log-text.ts";
import type { LogPiece, LogStream } from "../../runtime/runtime.ts";
import { sentEvent } from "./sse-text.ts";

/** The output of a lobby's process, and how the lobby ended. */
export interface LogSource {
  readonly stream: LogStream;
  piece(from: number, maxBytes: number): Promise<LogPiece>;
  /** Null: more may be written. */
  end(): Promise<object | null>;
}

/** How much earlier output a listener gets that does not name a position. */
export const newestLogBytes = 256 * 1024;
/** Read in one step; a longer line is sent in pieces. Nothing else is in memory for a listener. */
const pieceBytes = 16 * 1024;
const newline = 10;

/** Reads a log from an offset on and turns it into events. */
export interface LogCursor {
  /** The offset in the log. */
  offset(): number;
  /** The id of the last event, from which a reader can continue. */
  id(): string;
  isAtEnd(): boolean;
  /** Moves to the start for a listener that does not name a position. */
  skipToNewest(firstKept: number, written: number): void;
  /** The event that reports omitted output. */
  resetText(): string;
  /** The next output, as events; "" if there is none yet. */
  readOn(): Promise<string>;
}

export function createLogCursor(source: LogSource, from: number): LogCursor {
  let offset = from;
  /** The rest of a line whose beginning was omitted is omitted too. */
  let isInsideLine = false;
  let isAtEnd = false;
  const id = () => `${source.stream}-${offset}`;
  const resetText = () => sentEvent(id(), "reset", { event: "reset" });

  function skipToNewest(firstKept: number, written: number): void {
    offset = Math.max(firstKept, written - newestLogBytes);
    isInsideLine = offset > 0;
    // The previous byte shows whether a line begins here.
    if (offset > firstKept) offset -= 1;
  }

  /** `isCut`: the last line continues after these bytes. */
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
    // Checked before the log is read, so that the read includes all output until the end.
    const ended = await source.end();
    // A listener may continue at any offset, so the bytes before it are checked too: half a token must not be sent.
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

/** How many bytes can be sent: up to the last line break, or all if no line break will follow. */
function countWhole(bytes: Buffer, isLast: boolean): number {
  const whole = bytes.lastIndexOf(newline) + 1;
  if (whole > 0) return whole;
  if (isLast) return bytes.length;
  return bytes.length < pieceBytes ? 0 : safeEnd(bytes, redact);
}
