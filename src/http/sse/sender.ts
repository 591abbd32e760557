import type { Writable } from "node:stream";
import type { EventReader } from "../../operations/live/event-feed.ts";

export interface SendTiming {
  /** A silent connection looks dead to proxies, and a dead one looks silent to us. */
  readonly heartbeatEveryMs: number;
  /** A client that takes nothing for so long is cut off. */
  readonly stalledMs: number;
}

/** Passes on what a reader has to a client, as fast as the client takes it. */
export interface EventSender {
  /** Call it every few seconds: sends a heartbeat, or cuts off a client that takes nothing. */
  tick(now: number): void;
}

/**
 * Nothing is queued for a client that does not read: beyond what one write holds, its events stay in the feed, which
 * is bounded. It is cut off when events are dropped there that it has not read, or when it takes nothing for too long.
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
    // Whatever happens in one turn of the event loop goes out together.
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
