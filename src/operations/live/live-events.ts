import type { Engine, PlacedEvent } from "../../engine/engine.ts";
import { beforeEvents, isLater } from "../../engine/positions.ts";
import type { SharedPlaces } from "../../ground/shares.ts";
import { createEventFeed, type EventFeed } from "./event-feed.ts";
import { createTimelines, type Timelines } from "./timelines.ts";

/** Of each namespace. */
const recalledMax = 1_000;
/** As long as Redis is waited for; an operator should not wait longer for an event that does not come. */
const hearingMsMax = 5_000;

/** What the service remembers of events, for operators who look on. In memory only: the engine has the facts. */
export interface LiveEvents {
  readonly feed: EventFeed;
  readonly timelines: Timelines;
  /** Resolves when what happened in a namespace before this call was heard here: on another node it is answered first. */
  caughtUp(namespaceId: string): Promise<void>;
}

/** Listens as long as the engine lives, and first recalls what the engine has kept of earlier events. */
export function createLiveEvents(engine: Engine, now: () => number, streamPlaces: SharedPlaces): LiveEvents {
  const feed = createEventFeed(engine, now, streamPlaces);
  const timelines = createTimelines();
  /** Up to where each namespace was heard. */
  const heard = new Map<string, string>();
  const hearing = new Set<() => void>();
  /** After where events were lost, until what comes after them is heard. */
  const gaps = new Map<string, string>();
  engine.onGap((namespaceId, position) => gaps.set(namespaceId, position));
  /** What happened before the start could not be read, so nobody should wait for it. */
  let isPastMissing = false;
  void listen();

  function hear(event: PlacedEvent): void {
    timelines.push(event);
    heard.set(event.namespaceId, event.position);
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
      for (const event of await engine.latest(namespaceId, recalledMax)) hear(event);
    }
  }

  /** In its place among the events, of which some may still have been waiting to be heard. */
  function pushGap({ namespaceId, position }: PlacedEvent): void {
    const gap = gaps.get(namespaceId);
    if (gap === undefined || !isLater(position, gap)) return;
    gaps.delete(namespaceId);
    feed.pushGap(namespaceId, gap, position);
  }

  async function listen(): Promise<void> {
    const events = engine.events();
    // A past that cannot be read now is missed: a node should not stay down for it.
    await recall().catch(() => {
      isPastMissing = true;
    });
    // What happened while the past was read is in it, and comes again now.
    const recalled = new Map(heard);
    for await (const event of events) {
      const end = recalled.get(event.namespaceId);
      if (end === undefined || isLater(event.position, end)) hear(event);
      pushGap(event);
      feed.push(event);
    }
  }

  return { feed, timelines, caughtUp };
}
