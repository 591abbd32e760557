import type { RedisLink } from "../../redis/interface.ts";
import type { EngineEvents, PlacedEvent } from "../engine.ts";
import { createEventHub } from "../event-hub.ts";
import { isLater, parsePosition } from "../positions.ts";
import { readEvent, type WrittenEvent } from "./read-views.ts";
import { eventsAfterScript } from "./scripts.ts";

/** The events of all namespaces, read from their streams and handed to whoever listens in this process. */
export interface Streams extends EngineEvents {
  /** Hears everything from this call on, and nothing that this process was answered before. */
  events: EngineEvents["events"];
  /** This process was answered something that was told up to this position. */
  note(namespaceId: string, position: string): void;
  /** What this process was answered is told first. */
  close(): Promise<void>;
}

interface Reading {
  position: string;
  isRunning: boolean;
  /** Something was told since the run began: it has to look once more. */
  isStale: boolean;
}

const entriesPerCall = 500;
/** A message of Redis may be lost; what it was about is found this much later. */
const sweepEveryMs = 5_000;
/** By so much the clocks of this machine and Redis may differ. */
const clockDifferenceMs = 1_000;

/** `onTold` hears of every namespace in which something was told. */
export async function createStreams(
  link: RedisLink,
  prefix: string,
  startedAt: number,
  onTold: (namespaceId: string) => void,
): Promise<Streams> {
  const hub = createEventHub();
  const readings = new Map<string, Reading>();
  /** Up to where this process was answered, where it has not read so far yet. */
  const answered = new Map<string, string>();
  const running = new Set<Promise<void>>();
  const gapListeners: ((namespaceId: string, position: string) => void)[] = [];
  let isClosed = false;
  let hasStarted = false;

  const keyOf = (namespaceId: string) => `${prefix}:{${namespaceId}}:events`;

  /** Of a namespace that nobody knew at the start, everything since the start is news. */
  function readingOf(namespaceId: string): Reading {
    const firstPosition = `${startedAt - clockDifferenceMs}-0`;
    const reading = readings.get(namespaceId) ?? { position: firstPosition, isRunning: false, isStale: false };
    readings.set(namespaceId, reading);
    return reading;
  }

  /** One at a time per namespace, so that events keep their order; what wakes it meanwhile makes it look once more. */
  function wake(namespaceId: string): void {
    const reading = readingOf(namespaceId);
    reading.isStale = true;
    if (reading.isRunning || !hasStarted) return;
    reading.isRunning = true;
    const run = readOn(namespaceId, reading)
      // Redis cannot be read now: the next message, the end of the gap or the sweep tries again.
      .catch(() => undefined)
      .finally(() => {
        reading.isRunning = false;
        running.delete(run);
      });
    running.add(run);
  }

  async function readOn(namespaceId: string, reading: Reading): Promise<void> {
    while (reading.isStale) {
      reading.isStale = false;
      const args = [`(${reading.position}`, "+", "COUNT", entriesPerCall];
      // A border: this is how Redis gives the entries of a stream.
      const entries = (await link.call("XRANGE", keyOf(namespaceId), args)) as WrittenEvent[];
      if (entries.length > 0) onTold(namespaceId);
      const isFarBehind = entries.length === entriesPerCall;
      // What was dropped was followed by far more than one call gives, so that only then something can be gone.
      if (isFarBehind && (await entriesAfter(namespaceId, reading.position, 1)) === null) {
        for (const listener of gapListeners) listener(namespaceId, reading.position);
      }
      for (const entry of entries) publish(namespaceId, entry, reading);
      if (!isLater(answered.get(namespaceId) ?? "0-0", reading.position)) answered.delete(namespaceId);
      if (isFarBehind) reading.isStale = true;
    }
  }

  /** What this Foyer cannot read, another one wrote: to this one it is as good as gone. */
  function publish(namespaceId: string, entry: WrittenEvent, reading: Reading): void {
    const event = readable(namespaceId, entry);
    if (event === null) for (const listener of gapListeners) listener(namespaceId, reading.position);
    else hub.publish(event);
    reading.position = entry[0];
  }

  /** Null: some of it is gone. */
  async function entriesAfter(namespaceId: string, position: string, max: number): Promise<WrittenEvent[] | null> {
    const answer = await link.run(eventsAfterScript, `${prefix}:{${namespaceId}}:ns`, [position, String(max)]);
    // A border: only our own script answers.
    const [found, entries] = answer as ["OK", WrittenEvent[]] | ["GONE", undefined];
    return found === "GONE" ? null : entries!;
  }

  /** The newest first. */
  async function newest(namespaceId: string, max: number): Promise<WrittenEvent[]> {
    return (await link.call("XREVRANGE", keyOf(namespaceId), ["+", "-", "COUNT", max])) as WrittenEvent[];
  }

  async function knownNamespaces(): Promise<string[]> {
    return (await link.call("SMEMBERS", `${prefix}:namespaces`)) as string[];
  }

  async function sweep(): Promise<void> {
    const known = new Set(await knownNamespaces());
    for (const [namespaceId, reading] of [...readings]) {
      if (known.has(namespaceId) || answered.has(namespaceId) || reading.isRunning) continue;
      // A failover may have lost the name of a namespace that is there: nothing of it may be heard twice when it is back.
      if ((await link.call("EXISTS", keyOf(namespaceId))) === 0 && !reading.isRunning) readings.delete(namespaceId);
    }
    for (const namespaceId of known) wake(namespaceId);
  }

  async function endOf(namespaceId: string): Promise<string> {
    return (await newest(namespaceId, 1))[0]?.[0] ?? "0-0";
  }

  const sweepQuietly = () => void sweep().catch(() => undefined);

  await link.subscribe(`${prefix}:events`, wake, sweepQuietly);
  await Promise.all(
    (await knownNamespaces()).map(async (namespaceId) => {
      readingOf(namespaceId).position = await endOf(namespaceId);
    }),
  );
  hasStarted = true;
  const sweeping = setInterval(sweepQuietly, sweepEveryMs);
  sweeping.unref();

  return {
    events: (isWanted) => laterThan(new Map(answered), hub.subscribe(isWanted)),

    async position(namespaceId) {
      const end = await endOf(namespaceId);
      // Whoever asks may wait for what is there, so it is read now: the message that tells of it may be late, or lost.
      if (isLater(end, readings.get(namespaceId)?.position ?? "0-0")) wake(namespaceId);
      return end;
    },

    async latest(namespaceId, max) {
      return (await newest(namespaceId, max)).reverse().flatMap((entry) => readable(namespaceId, entry) ?? []);
    },

    async eventsAfter(namespaceId, position, max) {
      if (parsePosition(position) === null) return null;
      const entries = await entriesAfter(namespaceId, position, max);
      const events = entries?.map((entry) => readable(namespaceId, entry)) ?? [null];
      return events.every((event) => event !== null) ? events : null;
    },

    // Redis keeps the last 10,000 of every namespace, whether somebody listens or not.
    keepEvents: () => () => {},

    onGap(listener) {
      gapListeners.push(listener);
    },

    note(namespaceId, position) {
      if (isLater(position, readings.get(namespaceId)?.position ?? "0-0")) answered.set(namespaceId, position);
    },

    async close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(sweeping);
      for (const namespaceId of answered.keys()) wake(namespaceId);
      while (running.size > 0) await Promise.all(running);
      hub.close();
    },
  };
}

function readable(namespaceId: string, entry: WrittenEvent): PlacedEvent | null {
  try {
    return readEvent(namespaceId, entry);
  } catch {
    return null;
  }
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
