import type { LogStream } from "../../runtime/runtime.ts";
import type { EventReader } from "./event-feed.ts";
import { createLogCursor, type LogSource } from "./log-cursor.ts";

const lookEveryMs = 250;

/**
 * Reads a log line by line while it is written. The file is the queue: what a slow listener has not read stays there.
 * It is polled, because not every file system reports changes.
 */
export async function openLogReader(source: LogSource, lastEventId: string | undefined): Promise<EventReader> {
  const { first, end } = await source.piece(0, 0);
  const resumed = parseOffset(source.stream, lastEventId);
  const isKnown = resumed !== null && resumed >= first && resumed <= end;
  const cursor = createLogCursor(source, isKnown ? resumed : 0);
  if (!isKnown) cursor.skipToNewest(first, end);
  let text = lastEventId === undefined || isKnown ? "" : cursor.resetText();
  const greeting = `retry: 2000\nid: ${cursor.id()}\n\n`;
  let isAtEnd = false;
  let isLooking = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let onNews = () => {};
  void look();

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    let before: number;
    do {
      before = cursor.offset();
      // The disk or the engine is temporarily unavailable; the next poll tries again.
      const more = await cursor.readOn().catch(() => "");
      text += more;
      isAtEnd = cursor.isAtEnd();
      // After omitted output, the reader does not wait for more.
    } while (cursor.offset() !== before && text === "" && !isClosed);
    isLooking = false;
    if (isClosed) return;
    if (text !== "") onNews();
    else if (!isAtEnd) timer = setTimeout(look, lookEveryMs).unref();
  }

  return {
    greeting,
    read() {
      const taken = text;
      text = "";
      if (taken !== "" && !isAtEnd) void look();
      return taken;
    },
    hasFallenBehind: () => false,
    isAtEnd: () => isAtEnd && text === "",
    onNews(listener) {
      onNews = listener;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Null: this is not an id of the stream. */
function parseOffset(stream: LogStream, id: string | undefined): number | null {
  const [, named, offset] = /^(stdout|stderr)-(\d{1,15})$/.exec(id ?? "") ?? [];
  return named === stream ? Number(offset) : null;
}
