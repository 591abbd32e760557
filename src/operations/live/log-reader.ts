import { redact } from "../../ground/redact.ts";
import { safeEnd, safeStart, secretBytes } from "../../runtime/log-text.ts";
import type { LogPiece, LogStream } from "../../runtime/runtime.ts";
import type { EventReader } from "./event-feed.ts";
import { sentEvent } from "./sse-text.ts";

/** What a lobby's process writes, and how the lobby ended. */
export interface LogSource {
  readonly stream: LogStream;
  piece(from: number, maxBytes: number): Promise<LogPiece>;
  /** Null: more may be written. */
  end(): Promise<object | null>;
}

/** How much of what was written before is told to a listener that does not say where to go on. */
export const newestLogBytes = 256 * 1024;
/** Read at once; a longer line is told in pieces. Nothing more is kept in memory for a listener. */
const pieceBytes = 16 * 1024;
const lookEveryMs = 250;

/**
 * Reads a log line by line while it is written. The file is the queue: what a slow listener has not taken stays there.
 * It is looked at again and again, since not every file system tells of changes.
 */
export async function openLogReader(source: LogSource, lastEventId: string | undefined): Promise<EventReader> {
  const { first, end } = await source.piece(0, 0);
  const resumed = placeOf(source.stream, lastEventId);
  const isKnown = resumed !== null && resumed >= first && resumed <= end;
  let place = isKnown ? resumed : 0;
  /** The rest of a line whose beginning was left out is left out as well. */
  let isInsideLine = false;
  if (!isKnown) goToNewest(first, end);
  let text = lastEventId === undefined || isKnown ? "" : resetText();
  let isAtEnd = false;
  let isLooking = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let tell = () => {};
  void look();

  function goToNewest(firstKept: number, written: number): void {
    place = Math.max(firstKept, written - newestLogBytes);
    isInsideLine = place > 0;
    // The byte before tells whether a line begins here.
    if (place > firstKept) place -= 1;
  }

  function resetText(): string {
    return sentEvent(idAt(place), "reset", { event: "reset" });
  }

  function idAt(at: number): string {
    return `${source.stream}-${at}`;
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    let before: number;
    do {
      before = place;
      try {
        await readOn();
      } catch {
        // The disk or the engine cannot tell now; the next look may.
      }
      // What was left out is no reason to wait for what comes after it.
    } while (place !== before && text === "" && !isClosed);
    isLooking = false;
    if (isClosed) return;
    if (text !== "") tell();
    else if (!isAtEnd) timer = setTimeout(look, lookEveryMs).unref();
  }

  async function readOn(): Promise<void> {
    // Asked before the log is read: what was written until the end is then in what is read.
    const ended = await source.end();
    // A listener may come back to any place, so what stands before it is looked at too, lest half a token be told.
    const before = Math.min(place, secretBytes);
    const { bytes, start, first: firstKept, end: written } = await source.piece(place - before, before + pieceBytes);
    if (firstKept > place) {
      goToNewest(firstKept, written);
      text += resetText();
      return;
    }
    const offset = place - start;
    const isLast = ended !== null && start + bytes.length === written;
    const until = offset + wholeLines(bytes.subarray(offset), isLast);
    const from = until > offset && !isInsideLine ? safeStart(bytes, offset, start === 0, redact) : offset;
    place += from - offset;
    tellLines(bytes.subarray(from, until), bytes[until - 1] !== newline && !isLast);
    if (!isLast || until < bytes.length) return;
    text += sentEvent(idAt(place), "end", { event: "end", ...ended });
    isAtEnd = true;
  }

  function tellLines(bytes: Buffer, isCut: boolean): void {
    for (let from = 0; from < bytes.length; ) {
      const found = bytes.indexOf(newline, from);
      const next = found === -1 ? bytes.length : found + 1;
      const line = bytes.subarray(from, found === -1 ? next : found).toString("utf8");
      place += next - from;
      from = next;
      const data = {
        event: "line",
        text: redact(line.replace(/\r$/, "")),
        ...(found === -1 && isCut && { is_cut: true }),
      };
      if (!isInsideLine) text += sentEvent(idAt(place), "line", data);
      if (found !== -1) isInsideLine = false;
    }
  }

  return {
    greeting: `retry: 2000\nid: ${idAt(place)}\n\n`,
    read() {
      const taken = text;
      text = "";
      if (taken !== "" && !isAtEnd) void look();
      return taken;
    },
    hasFallenBehind: () => false,
    isAtEnd: () => isAtEnd && text === "",
    onNews(listener) {
      tell = listener;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const newline = 10;

/** How many bytes can be told: up to the last line break, unless there is none to be waited for. */
function wholeLines(bytes: Buffer, isLast: boolean): number {
  const whole = bytes.lastIndexOf(newline) + 1;
  if (whole > 0) return whole;
  if (isLast) return bytes.length;
  return bytes.length < pieceBytes ? 0 : safeEnd(bytes, redact);
}

function placeOf(stream: LogStream, id: string | undefined): number | null {
  const [, named, place] = /^(stdout|stderr)-(\d{1,15})$/.exec(id ?? "") ?? [];
  return named === stream ? Number(place) : null;
}
