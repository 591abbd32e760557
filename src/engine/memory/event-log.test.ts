import { describe, expect, test } from "vitest";
import type { PlayerEvent } from "../../matchmaker/commands.ts";
import { createEventLog, type EventLogOptions } from "./event-log.ts";

const here = "aaaaaaaa-0000-7000-8000-000000000001";
const elsewhere = "bbbbbbbb-0000-7000-8000-000000000002";
let players = 0;

function event(namespaceId: string): PlayerEvent {
  players += 1;
  const playerId = `player-${players}`;
  return { type: "player.reserved", namespaceId, at: 0, lobbyId: "lobby", playerId, status: "reserved" };
}

function createLog(options: Partial<EventLogOptions> = {}) {
  const clock = { now: 1_700_000_000_000 };
  const log = createEventLog({ steadyNow: () => clock.now, ...options });
  const happen = (count: number, namespaceId = here) =>
    Array.from({ length: count }, () => log.add(event(namespaceId)));
  return { log, clock, happen };
}

describe("event log", () => {
  test("[EV3] a position of before a restart, or of another namespace, is of no such stream", async () => {
    const [before, after] = [createLog(), createLog()];
    for (const { log } of [before, after]) {
      log.keepEvents(here);
      log.keepEvents(elsewhere);
    }
    const started = await before.log.position(here);
    const [, last] = before.happen(2);
    after.happen(2);
    const [foreign] = after.happen(1, elsewhere);
    for (const position of [started, last!.position, foreign!.position, await after.log.position(elsewhere)]) {
      expect(await after.log.eventsAfter(here, position, 10)).toBeNull();
    }
    expect(await before.log.eventsAfter(here, started, 10)).toHaveLength(2);
  });

  test("[EV3] no more events are read at a time than were asked for", async () => {
    const { log, happen } = createLog();
    log.keepEvents(here);
    const start = await log.position(here);
    const events = happen(5);
    expect(await log.eventsAfter(here, start, 3)).toEqual(events.slice(0, 3));
    expect(await log.eventsAfter(here, events[2]!.position, 2)).toEqual(events.slice(3));
    expect(await log.latest(here, 2)).toEqual(events.slice(3));
  });

  test("[EV9] events are kept from the first request for them until 5 minutes after the last", async () => {
    const { log, clock, happen } = createLog();
    happen(1);
    const [first, second] = [log.keepEvents(here), log.keepEvents(here)];
    const start = await log.position(here);
    clock.now += 1_000_000;
    first();
    first();
    clock.now += 1_000_000;
    happen(3);
    second();
    clock.now += 300_000;
    happen(1);
    expect(await log.eventsAfter(here, start, 10)).toHaveLength(4);
    clock.now += 1;
    log.keepEvents(elsewhere);
    expect(log.size()).toEqual({ namespaces: 1, events: 0 });
    expect(await log.eventsAfter(here, start, 10)).toBeNull();
    expect(await log.eventsAfter(here, await log.position(here), 10)).toEqual([]);
  });

  test("[EV4] of each namespace the latest are kept, and at least as many as promised", async () => {
    const { log, happen } = createLog({ eventsPerNamespaceMax: 100 });
    log.keepEvents(here);
    const events = happen(1_000);
    expect(log.size().events).toBeLessThanOrEqual(110);
    expect(await log.eventsAfter(here, events[899]!.position, 1_000)).toEqual(events.slice(900));
    expect(await log.eventsAfter(here, events[0]!.position, 1_000)).toBeNull();
  });

  test("[EV4] over all namespaces it is bounded: the largest loses its oldest", async () => {
    const { log, happen } = createLog({ eventsMax: 50 });
    log.keepEvents(here);
    log.keepEvents(elsewhere);
    const few = happen(5, elsewhere);
    happen(500);
    expect(log.size().events).toBeLessThanOrEqual(50);
    expect(await log.latest(elsewhere, 10)).toEqual(few);
  });

  test("[EV4] namespaces without listeners are dropped, and their positions still grow", async () => {
    const { log, clock, happen } = createLog({ namespacesMax: 2 });
    const stop = log.keepEvents(here);
    const [before] = happen(1);
    happen(1, elsewhere);
    happen(1, "a third");
    expect(await log.position(elsewhere)).toBe("0-0");
    expect(await log.position(here)).toBe(before!.position);
    stop();
    clock.now += 300_001;
    happen(1, "a fourth");
    expect(await log.eventsAfter(here, before!.position, 10)).toBeNull();
    const [again] = happen(1);
    expect(Number(again!.position.split("-")[0])).toBeGreaterThan(Number(before!.position.split("-")[0]));
  });
});
