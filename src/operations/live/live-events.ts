import type { Engine, PlacedEvent } from "../../engine/engine.ts";
import { beforeEvents, isLater } from "../../engine/positions.ts";
import type { SharedPlaces } from "../../ground/shares.ts";
import { createEventFeed, type EventFeed } from "./event-feed.ts";
import type { ShowLobby } from "./show-lobby.ts";
import { createTimelines, type Timelines } from "./timelines.ts";

/** The maximum for each namespace. */
const recalledMax = 1_000;
/** As long as commands wait for Redis; an operator should not wait longer for a lost event. */
const hearingMsMax = 5_000;
/** So many positions are kept without a look for deleted namespaces. */
const unprunedMax = 1_000;

/** Recent events for operators who watch. Only in memory: the engine has the state. */
export interface LiveEvents {
  readonly feed: EventFeed;
  readonly timelines: Timelines;
  /**
   * Resolves when this process has received all events of a namespace from before this call: another node may already
   * have answered them.
   */
  caughtUp(namespaceId: string): Promise<void>;
  /** How many positions are kept, for tests. */
  size(): number;
}

/** Listens as long as the engine is open, and first reads the earlier events that the engine has kept. */
export function createLiveEvents(
  engine: Engine,
  now: () => number,
  streamPlaces: SharedPlaces,
  show: ShowLobby,
): LiveEvents {
  const feed = createEventFeed(engine, now, streamPlaces, show);
  const timelines = createTimelines();
  /** The last received position of each namespace. */
  const heard = new Map<string, string>();
  const hearing = new Set<() => void>();
  /** The position after which events were lost, until the next event is received. */
  const gaps = new Map<string, string>();
  const prune = createPruning(engine, [heard, gaps]);
  engine.onGap((namespaceId, position) => {
    gaps.set(namespaceId, position);
    prune();
  });
  /** The events before the start could not be read, so no call should wait for them. */
  let isPastMissing = false;
  void listen();

  function receive(event: PlacedEvent): void {
    timelines.push(event);
    heard.set(event.namespaceId, event.position);
    prune();
    for (const look of [...hearing]) look();
  }

  async function caughtUp(namespaceId: string): Promise<void> {
    const end = await engine.position(namespaceId);
    const isBehind = () => isLater(end, heard.get(namespaceId) ?? beforeEvents);
    if (!isBehind() || (isPastMissing && !heard.has(namespaceId))) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(stop, hearingMsMax);
      const look = () => void (isBehind() || stop());
      function stop(): void {
        clearTimeout(timer);
        hearing.delete(look);
        resolve();
      }
      hearing.add(look);
    });
  }

  async function recall(): Promise<void> {
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      for (const event of await engine.latest(namespaceId, recalledMax)) receive(event);
    }
  }

  /** Inserted in order: earlier events may still have been waiting. */
  function pushGap({ namespaceId, position }: PlacedEvent): void {
    const gap = gaps.get(namespaceId);
    if (gap === undefined || !isLater(position, gap)) return;
    gaps.delete(namespaceId);
    feed.pushGap(namespaceId, gap, position);
  }

  async function listen(): Promise<void> {
    const events = engine.events();
    // If the past cannot be read, the node starts without it.
    await recall().catch(() => {
      isPastMissing = true;
    });
    // Events during the read of the past are in it, and arrive again now.
    const recalled = new Map(heard);
    for await (const event of events) {
      const end = recalled.get(event.namespaceId);
      if (end === undefined || isLater(event.position, end)) receive(event);
      if ("lobby" in event) await show.learn(event.namespaceId, [event.lobby]);
      pushGap(event);
      feed.push(event);
    }
  }

  return { feed, timelines, caughtUp, size: () => heard.size + gaps.size };
}

/** Drops what is kept of deleted namespaces, each time that twice as many are kept as after the last time. */
function createPruning(engine: Engine, maps: readonly Map<string, string>[]): () => void {
  const count = () => maps.reduce((sum, { size }) => sum + size, 0);
  let countMax = unprunedMax;
  let isPruning = false;

  async function prune(): Promise<void> {
    // Only these: a namespace that is made during the read may not be in its answer.
    const known = maps.flatMap((map) => [...map.keys()]);
    const existing = new Set((await engine.read({ type: "namespaces" })).map(({ namespaceId }) => namespaceId));
    for (const namespaceId of known) {
      if (!existing.has(namespaceId)) for (const map of maps) map.delete(namespaceId);
    }
    countMax = Math.max(unprunedMax, 2 * count());
  }

  return () => {
    if (isPruning || count() <= countMax) return;
    isPruning = true;
    // When they cannot be read now, the next event tries again.
    prune()
      .catch(() => undefined)
      .finally(() => {
        isPruning = false;
      });
  };
}
