import type { Engine, SharedEvents } from "../../engine/engine.ts";
import { isLater } from "../../engine/positions.ts";
import type { SharedPlaces } from "../../ground/shares.ts";
import type { Event } from "../../matchmaker/commands.ts";
import { createEventFeed, type EventFeed } from "./event-feed.ts";
import { createTimelines, type Timelines } from "./timelines.ts";

/** Of each namespace. */
const recalledMax = 1_000;
/** As long as Redis is waited for; an operator should not wait longer for an event that does not come. */
const hearingMsMax = 5_000;

/** What the service remembers of what happened, for operators who look on. In memory only: the journal has the facts. */
export interface Happenings {
  readonly feed: EventFeed;
  readonly timelines: Timelines;
  /** Resolves when what happened in a namespace before this call was heard here: on another node it is answered first. */
  caughtUp(namespaceId: string): Promise<void>;
}

/**
 * Listens as long as the engine lives. The engine tells of nothing before it is durable. Where other nodes were up
 * before, what they saw comes first.
 */
export function createHappenings(
  engine: Engine,
  clock: { now(): number; newId(): string },
  streamPlaces: SharedPlaces,
  past: SharedEvents | null = null,
): Happenings {
  const feed = createEventFeed(clock, streamPlaces);
  const timelines = createTimelines();
  /** Up to where each namespace was heard, where events have positions. */
  const heard = new Map<string, string>();
  const hearing = new Set<() => void>();
  /** After where events were lost that are not to be heard any more, until what comes after them is. */
  const gaps = new Map<string, string>();
  past?.onGap((namespaceId, position) => gaps.set(namespaceId, position));
  /** What happened before the start could not be read, so nobody should wait for it. */
  let isPastMissing = false;
  void listen();

  function hear(event: Event): void {
    timelines.push(event);
    if (event.position === undefined) return;
    heard.set(event.namespaceId, event.position);
    for (const look of [...hearing]) look();
  }

  async function caughtUp(namespaceId: string): Promise<void> {
    if (!past) return;
    const end = await past.position(namespaceId);
    const isBehind = () => isLater(end, heard.get(namespaceId) ?? "0-0");
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

  /** A past that cannot be read now is missed: a node should not stay down for it. */
  async function recall(events: SharedEvents): Promise<void> {
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      for (const event of await events.latest(namespaceId, recalledMax)) hear(event);
    }
  }

  /** In its place among the events, of which some may still have been waiting to be heard. */
  function tellGap({ namespaceId, position = "0-0" }: Event): void {
    const gap = gaps.get(namespaceId);
    if (gap === undefined || !isLater(position, gap)) return;
    gaps.delete(namespaceId);
    feed.pushGap(namespaceId, gap, position);
  }

  async function listen(): Promise<void> {
    const events = engine.events();
    if (past) {
      await recall(past).catch(() => {
        isPastMissing = true;
      });
    }
    // What happened while the past was read is in it, and comes again now.
    const recalled = new Map(heard);
    for await (const event of events) {
      const end = recalled.get(event.namespaceId);
      if (end === undefined || event.position === undefined || isLater(event.position, end)) hear(event);
      tellGap(event);
      feed.push(event);
    }
  }

  return { feed, timelines, caughtUp };
}
