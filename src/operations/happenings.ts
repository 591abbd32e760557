import type { Engine, SharedEvents } from "../engine/engine.ts";
import { createEventFeed, type EventFeed } from "./event-feed.ts";
import { createTimelines, type Timelines } from "./timelines.ts";

/** Of each namespace. */
const recalledMax = 1_000;

/** What the service remembers of what happened, for operators who look on. In memory only: the journal has the facts. */
export interface Happenings {
  readonly feed: EventFeed;
  readonly timelines: Timelines;
}

/**
 * Listens as long as the engine lives. The engine tells of nothing before it is durable. Where other nodes were up
 * before, what they saw comes first.
 */
export function createHappenings(
  engine: Engine,
  clock: { now(): number; newId(): string },
  past: SharedEvents | null = null,
): Happenings {
  const feed = createEventFeed(clock);
  const timelines = createTimelines();
  void listen();

  /** A past that cannot be read now is missed: a node should not stay down for it. */
  async function recall(events: SharedEvents): Promise<void> {
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      for (const event of await events.latest(namespaceId, recalledMax)) timelines.push(event);
    }
  }

  async function listen(): Promise<void> {
    const events = engine.events();
    if (past) await recall(past).catch(() => undefined);
    for await (const event of events) {
      timelines.push(event);
      feed.push(event);
    }
  }

  return { feed, timelines };
}
