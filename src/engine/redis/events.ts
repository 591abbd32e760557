import type { RedisLink } from "../../redis/interface.ts";
import type { EngineEvents, PlacedEvent } from "../engine.ts";
import { createEventHub } from "../event-hub.ts";
import { isLater, parsePosition } from "../positions.ts";
import { entriesAfter, lastEntries, lastPosition, readableEvent } from "./stream-entries.ts";
import { createStreamReaders, type StreamReaders, startReading, stopReading, wakeReader } from "./stream-readers.ts";

/** The events of all namespaces, read from their streams and passed to the listeners in this process. */
export interface Streams extends EngineEvents {
  /** Gives everything from this call on, and nothing that this process was answered before. */
  events: EngineEvents["events"];
  /** This process got an answer with events up to this position. */
  note(namespaceId: string, position: string): void;
  /** First publishes the events of all answers that this process got. */
  close(): Promise<void>;
}

/** `onTold` is called with every namespace that has a new event. */
export async function createStreams(
  link: RedisLink,
  prefix: string,
  startedAt: number,
  onTold: (namespaceId: string) => void,
): Promise<Streams> {
  const hub = createEventHub();
  const keys = { link, prefix };
  const readers = createStreamReaders({ keys, startedAt, onTold, publish: hub.publish });
  await startReading(readers);
  return {
    events: (isWanted) => laterThan(new Map(readers.answered), hub.subscribe(isWanted)),

    async position(namespaceId) {
      const end = await lastPosition(keys, namespaceId);
      // The caller may wait for an event that is already in the stream, so it is read now: its message may be late or
      // lost.
      if (isLater(end, readPosition(readers, namespaceId))) wakeReader(readers, namespaceId);
      return end;
    },

    async latest(namespaceId, max) {
      const entries = await lastEntries(keys, namespaceId, max);
      return entries.reverse().flatMap((entry) => readableEvent(namespaceId, entry) ?? []);
    },

    async eventsAfter(namespaceId, position, max) {
      if (parsePosition(position) === null) return null;
      const entries = await entriesAfter(keys, namespaceId, position, max);
      const events = entries?.map((entry) => readableEvent(namespaceId, entry)) ?? [null];
      return events.every((event) => event !== null) ? events : null;
    },

    // Redis keeps the last 10,000 events of every namespace, with or without listeners.
    keepEvents: () => () => {},

    onGap(listener) {
      readers.gapListeners.push(listener);
    },

    note(namespaceId, position) {
      if (isLater(position, readPosition(readers, namespaceId))) readers.answered.set(namespaceId, position);
    },

    async close() {
      await stopReading(readers);
      hub.close();
    },
  };
}

/** Up to where this process has read. */
function readPosition({ readings }: StreamReaders, namespaceId: string): string {
  return readings.get(namespaceId)?.position ?? "0-0";
}

/** Leaves out what had been answered already when the listener came. */
function laterThan(
  answered: ReadonlyMap<string, string>,
  events: AsyncIterable<PlacedEvent>,
): AsyncIterable<PlacedEvent> {
  if (answered.size === 0) return events;
  const source = events[Symbol.asyncIterator]();
  const iterator: AsyncIterator<PlacedEvent> = {
    async next() {
      for (;;) {
        const next = await source.next();
        if (next.done) return next;
        const before = answered.get(next.value.namespaceId);
        if (before === undefined || isLater(next.value.position, before)) return next;
      }
    },
    return: async () => (await source.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
