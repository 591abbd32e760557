import { randomInt } from "node:crypto";
import type { Event } from "../../matchmaker/commands.ts";
import type { EngineEvents, PlacedEvent } from "../engine.ts";
import { parsePosition } from "../positions.ts";

/** Gives events their positions, and keeps the events of namespaces with listeners. */
export interface EventLog extends Omit<EngineEvents, "events"> {
  /** Call it with each event, in the order of publication. */
  add(event: Event): PlacedEvent;
  /** How much is kept, for tests. */
  size(): { readonly namespaces: number; readonly events: number };
}

export interface EventLogOptions {
  /** The maximum for each namespace. */
  readonly eventsPerNamespaceMax: number;
  /** The maximum for all namespaces together. Above it, the namespace with the most events loses its oldest. */
  readonly eventsMax: number;
  /** How long the events of a namespace are kept for listeners that reconnect. */
  readonly keptMs: number;
  /** How many namespaces without kept events are known. */
  readonly namespacesMax: number;
  /** Milliseconds that only ever increase. */
  steadyNow(): number;
  /** A number that no earlier process used. */
  readonly firstEpoch: number;
}

const usualOptions = {
  eventsPerNamespaceMax: 10_000,
  eventsMax: 100_000,
  keptMs: 5 * 60_000,
  namespacesMax: 20_000,
  steadyNow: () => performance.now(),
};

/** The events of one namespace. */
interface Line {
  /** Different for each line, also after a restart, so that positions of different lines are never confused. */
  readonly epoch: number;
  /** The total number of events. */
  count: number;
  /** The latest of them. */
  kept: PlacedEvent[];
  listeners: number;
  /** When the last listener left; null: there was no listener. */
  leftAt: number | null;
}

/** A position is the epoch of the line and the number of the event, counted from 1. Before the first event it is 0 and the epoch. */
export function createEventLog(options: Partial<EventLogOptions> = {}): EventLog {
  const { steadyNow, ...limits } = {
    ...usualOptions,
    firstEpoch: randomInt(1, 2 ** 47),
    ...options,
  };
  const lines = createLines({ steadyNow, ...limits });

  return {
    add(event) {
      const line = lines.getOrMake(event.namespaceId);
      line.count += 1;
      const placed = Object.assign(event, { position: `${line.epoch}-${line.count}` });
      lines.keep(line, placed);
      return placed;
    },
    async position(namespaceId) {
      const line = lines.get(namespaceId);
      if (line === undefined) return "0-0";
      return line.count === 0 ? `0-${line.epoch}` : `${line.epoch}-${line.count}`;
    },
    async eventsAfter(namespaceId, position, max) {
      const line = lines.get(namespaceId);
      const parsed = parsePosition(position);
      if (line === undefined || parsed === null) return null;
      const [epoch, seen] = parsed[0] === 0 ? [parsed[1], 0] : parsed;
      const missed = line.count - seen;
      if (epoch !== line.epoch || missed < 0 || missed > line.kept.length) return null;
      const first = line.kept.length - missed;
      return line.kept.slice(first, first + max);
    },
    latest: async (namespaceId, max) => lines.get(namespaceId)?.kept.slice(-max) ?? [],
    keepEvents(namespaceId) {
      lines.dropUnused();
      const line = lines.getOrMake(namespaceId);
      line.listeners += 1;
      let isLeft = false;
      return () => {
        if (isLeft) return;
        isLeft = true;
        line.listeners -= 1;
        line.leftAt = steadyNow();
      };
    },
    // Events are published in this process, so none can be missed.
    onGap() {},
    size: lines.size,
  };
}

function createLines(options: EventLogOptions) {
  const { eventsPerNamespaceMax, eventsMax, keptMs, namespacesMax, steadyNow } = options;
  const lines = new Map<string, Line>();
  let nextEpoch = options.firstEpoch;
  let keptCount = 0;

  const isListenedTo = ({ listeners, leftAt }: Line) =>
    listeners > 0 || (leftAt !== null && leftAt + keptMs >= steadyNow());

  function dropOldest(line: Line, count: number): void {
    if (count <= 0) return;
    line.kept = line.kept.slice(count);
    keptCount -= count;
  }

  function forgetOldest(): void {
    for (const [namespaceId, line] of lines) {
      if (isListenedTo(line)) continue;
      dropOldest(line, line.kept.length);
      lines.delete(namespaceId);
      return;
    }
  }

  function makeRoom(): void {
    while (keptCount > eventsMax) {
      const largest = [...lines.values()].reduce((a, b) => (b.kept.length > a.kept.length ? b : a));
      dropOldest(largest, Math.ceil(largest.kept.length / 10));
    }
  }

  return {
    get: (namespaceId: string) => lines.get(namespaceId),
    getOrMake(namespaceId: string): Line {
      const known = lines.get(namespaceId);
      if (known !== undefined) return known;
      if (lines.size >= namespacesMax) forgetOldest();
      const line: Line = { epoch: nextEpoch++, count: 0, kept: [], listeners: 0, leftAt: null };
      lines.set(namespaceId, line);
      return line;
    },
    keep(line: Line, event: PlacedEvent): void {
      if (!isListenedTo(line)) {
        dropOldest(line, line.kept.length);
        return;
      }
      line.kept.push(event);
      keptCount += 1;
      // Drops many entries together, because each removal copies the whole list.
      if (line.kept.length > eventsPerNamespaceMax * 1.1) dropOldest(line, line.kept.length - eventsPerNamespaceMax);
      makeRoom();
    },
    dropUnused(): void {
      for (const line of lines.values()) if (!isListenedTo(line)) dropOldest(line, line.kept.length);
    },
    size: () => ({ namespaces: [...lines.values()].filter(isListenedTo).length, events: keptCount }),
  };
}
