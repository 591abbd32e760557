import type { Writable } from "node:stream";
import type { EventReader } from "../../operations/live/event-feed.ts";

export interface SendTiming {
  /** Proxies close a connection without traffic, and to Foyer it looks like a broken one. */
  readonly heartbeatEveryMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stalledMs: number;
}

/** Sends what a reader returns to a client, as fast as the client reads. */
export interface EventSender {
  /** Call it every few seconds: sends a heartbeat, or disconnects a client that reads nothing. */
  tick(now: number): void;
}

/**
 * Nothing is queued for a client that does not read: beyond what one write holds, its events stay in the feed, which is
 * bounded. It is disconnected when the feed drops events that it has not read, or when it reads nothing for too long.
 */
export function startSending(
  out: Writable,
  reader: EventReader,
  { now, heartbeatEveryMs, stalledMs }: SendTiming & { now(): number },
): EventSender {
  let lastWriteAt = now();
  let isFull = false;
  let isPumpDue = false;
  out.on("drain", () => {
    isFull = false;
    pump();
  });
  reader.onNews(() => {
    // Events of one turn of the event loop are sent together.
    if (!isPumpDue) setImmediate(pump);
    isPumpDue = true;
  });
  write(reader.greeting);
  pump();

  function write(text: string): void {
    lastWriteAt = now();
    isFull = !out.write(text);
  }

  function pump(): void {
    isPumpDue = false;
    while (!isFull && !out.destroyed && !out.writableEnded) {
      const text = reader.read();
      if (text === null) out.destroy();
      else if (text === "" && reader.isAtEnd?.()) out.end();
      if (!text) return;
      write(text);
    }
    if (isFull && reader.hasFallenBehind()) out.destroy();
  }

  return {
    tick(at) {
      const isWaiting = isFull || out.writableEnded;
      if (isWaiting && at - lastWriteAt >= stalledMs) out.destroy();
      else if (!isWaiting && at - lastWriteAt >= heartbeatEveryMs) write(":\n\n");
    },
  };
}
