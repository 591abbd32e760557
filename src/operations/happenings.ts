import type { Engine } from "../engine/engine.ts";
import { createEventFeed, type EventFeed } from "./event-feed.ts";
import { createTimelines, type Timelines } from "./timelines.ts";

/** What the service remembers of what happened, for operators who look on. In memory only: the journal has the facts. */
export interface Happenings {
  readonly feed: EventFeed;
  readonly timelines: Timelines;
}

/** Listens as long as the engine lives. The engine tells of nothing before it is durable. */
export function createHappenings(engine: Engine, clock: { now(): number; newId(): string }): Happenings {
  const feed = createEventFeed(clock);
  const timelines = createTimelines();
  void listen();

  async function listen(): Promise<void> {
    for await (const event of engine.events()) {
      timelines.push(event);
      feed.push(event);
    }
  }

  return { feed, timelines };
}
