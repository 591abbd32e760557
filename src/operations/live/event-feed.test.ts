import { describe, expect, test } from "vitest";
import type { PlacedEvent } from "../../engine/engine.ts";
import { createEventLog } from "../../engine/memory/event-log.ts";
import { isLater } from "../../engine/positions.ts";
import { createSharedPlaces } from "../../ground/shares.ts";
import type { PlayerEvent } from "../../matchmaker/commands.ts";
import { createEventFeed, type EventReader, type FeedLimits } from "./event-feed.ts";
import { createShowLobby } from "./show-lobby.ts";

const shownPlainly = createShowLobby(
  () => ({}),
  { identity: async () => null, version: async () => null },
  () => 0,
);

const limits: FeedLimits = { eventsPerNamespaceMax: 100, charactersMax: 1e6 };
const here = "aaaaaaaa-0000-7000-8000-000000000001";
const elsewhere = "bbbbbbbb-0000-7000-8000-000000000002";

/** A feed of the events that a log in memory gives their positions. */
function createFeed({ readersMax = 3, ...changed }: Partial<FeedLimits> & { readersMax?: number } = {}) {
  const clock = { now: 1_700_000_000_000 };
  const { eventsPerNamespaceMax } = { ...limits, ...changed };
  const log = createEventLog({ eventsPerNamespaceMax, steadyNow: () => clock.now });
  const feed = createEventFeed(log, () => clock.now, createSharedPlaces(readersMax), shownPlainly, {
    ...limits,
    ...changed,
  });
  let players = 0;
  const happen = (count: number, namespaceId = here) => {
    for (let i = 0; i < count; i++) feed.push(log.add(event(namespaceId, `player-${++players}`)));
  };
  const open = async (namespaceId = here, lastEventId?: string) =>
    (await feed.open(ownerIn(namespaceId), lastEventId))!;
  return { feed, log, clock, happen, open };
}

const ownerIn = (namespaceId: string) => ({ namespaceId, tokenId: "token" });

function event(namespaceId: string, playerId: string): PlayerEvent {
  return {
    type: "player.reserved",
    namespaceId,
    at: 1_700_000_000_000,
    lobbyId: "lobby",
    playerId,
    status: "reserved",
  };
}

/** Everything there is to read, as the players that it tells of. */
function playersOf(reader: EventReader): string[] | null {
  let all = "";
  for (let text = reader.read(); text !== ""; text = reader.read()) {
    if (text === null) return null;
    all += text;
  }
  return [...all.matchAll(/"player_id":"([^"]+)"/g)].map(([, id]) => id!);
}

const idsOf = (text: string | null) => [...(text ?? "").matchAll(/^id: (.+)$/gm)].map(([, id]) => id!);

describe("event feed", () => {
  test("[EV1] a reader gets the events of its namespace from its opening on, and is notified of new ones", async () => {
    const { happen, open } = createFeed();
    happen(1);
    const reader = await open();
    let news = 0;
    reader.onNews(() => (news += 1));
    happen(2);
    happen(3, elsewhere);
    happen(1);
    expect(playersOf(reader)).toEqual(["player-2", "player-3", "player-7"]);
    expect(news).toBe(3);
    expect(playersOf(reader)).toEqual([]);
  });

  test("[EV2] a reader that reconnects gets everything after the last id it saw, once", async () => {
    const { happen, open } = createFeed();
    const reader = await open();
    const [start] = idsOf(reader.greeting);
    happen(5);
    const ids = idsOf(reader.read());
    expect(new Set(ids).size).toBe(5);
    const isAfterTheOneBefore = (id: string, index: number) => isLater(id, [start!, ...ids][index]!);
    expect(ids.map(isAfterTheOneBefore)).toEqual(ids.map(() => true));
    reader.close();
    happen(2);
    expect(playersOf(await open(here, ids[2]))).toEqual(["player-4", "player-5", "player-6", "player-7"]);
    expect(playersOf(await open(here, start))).toHaveLength(7);
    expect((await open(here, ids[4])).greeting).not.toContain("event: reset");
  });

  test("[EV2] events are kept for 5 minutes after the last reader left", async () => {
    const { happen, open, clock } = createFeed();
    const reader = await open();
    const [start] = idsOf(reader.greeting);
    clock.now += 400_000;
    reader.close();
    clock.now += 300_000;
    happen(1);
    expect(playersOf(await open(here, start))).toEqual(["player-1"]);
  });

  test("[EV3] an id whose followers are gone, and one of elsewhere, are answered with one reset", async () => {
    const { happen, open } = createFeed({ readersMax: 20 });
    const reader = await open();
    const [start] = idsOf(reader.greeting);
    happen(111);
    const foreign = idsOf((await open(elsewhere)).greeting)[0];
    const last = idsOf((await open()).greeting)[0]!;
    const odd = [
      "",
      "1",
      "x".repeat(500),
      `${last}0`,
      `${last.slice(0, -1)}x`,
      last.replace(/-111$/, "-112"),
      `1${last}`,
    ];
    for (const id of [start, foreign, ...odd]) {
      const again = await open(here, id);
      expect(again.greeting.match(/^event: reset$/gm)).toHaveLength(1);
      expect(playersOf(again)).toEqual([]);
      const resumed = idsOf(again.greeting)[0];
      expect((await open(here, resumed)).greeting).not.toContain("reset");
      again.close();
    }
  });

  test("[EV4] no events are kept of namespaces without listeners", async () => {
    const { feed, log, happen, open, clock } = createFeed();
    const nothing = { namespaces: 0, readers: 0, characters: 0 };
    happen(10);
    expect([feed.size(), log.size()]).toEqual([nothing, { namespaces: 0, events: 0 }]);
    const reader = await open();
    const [start] = idsOf(reader.greeting);
    happen(1);
    reader.close();
    reader.close();
    expect([feed.size(), log.size()]).toEqual([nothing, { namespaces: 1, events: 1 }]);
    clock.now += 300_001;
    happen(1);
    expect([feed.size(), log.size()]).toEqual([nothing, { namespaces: 0, events: 0 }]);
    expect((await open(here, start)).greeting).toContain("event: reset");
  });

  test("[EV4] over all namespaces it is bounded: the largest loses its oldest", async () => {
    const { feed, happen, open } = createFeed({ charactersMax: 10_000 });
    const [large, small] = [await open(), await open(elsewhere)];
    happen(3, elsewhere);
    happen(90);
    expect(feed.size().characters).toBeLessThanOrEqual(10_000);
    expect(playersOf(small)).toHaveLength(3);
    expect(large.hasFallenBehind()).toBe(true);
    expect(large.read()).toBe(null);
  });

  test("[EV4] so is the number of readers", async () => {
    const { feed, open } = createFeed();
    const readers = [await open(), await open(), await open()];
    expect(await feed.open(ownerIn(here), undefined)).toBe(null);
    readers[0]!.close();
    expect(await feed.open(ownerIn(here), undefined)).not.toBe(null);
  });

  test("[EV5] a reader that does not read falls behind, and the others do not notice", async () => {
    const { happen, open } = createFeed();
    const [slow, quick] = [await open(), await open()];
    for (let i = 0; i < 101; i++) {
      happen(1);
      expect(playersOf(quick)).toHaveLength(1);
    }
    expect(slow.read()).toBe(null);
    expect(quick.hasFallenBehind()).toBe(false);
  });

  test("a long past is cut into pieces", async () => {
    const { happen, open } = createFeed({ eventsPerNamespaceMax: 10_000 });
    const reader = await open();
    happen(2_000);
    const again = await open(here, idsOf(reader.greeting)[0]);
    for (const one of [reader, again]) {
      expect(one.read()!.length).toBeLessThan(70_000);
      expect(playersOf(one)!.at(-1)).toBe("player-2000");
    }
  });
});

/** Events that this node hears when the test says so, and a past that is answered when it says so. */
function createSharedFeed({ readersMax = 3, ...changed }: Partial<FeedLimits> & { readersMax?: number } = {}) {
  const past = new Map<string, () => Promise<readonly PlacedEvent[] | null>>();
  let end = async () => "0-0";
  const engine = {
    position: () => end(),
    eventsAfter: (_: string, position: string) => past.get(position)!(),
    keepEvents: () => () => {},
  };
  const feed = createEventFeed(engine, () => 0, createSharedPlaces(readersMax), shownPlainly, {
    ...limits,
    ...changed,
  });
  const at = (position: string) => ({ ...event(here, `at-${position}`), position });
  const hear = (...positions: string[]) => {
    for (const position of positions) feed.push(at(position));
  };
  /** Comes back with a position, after which these events came. Null: some of them are gone, and the position is the end. */
  const openAfter = (position: string, told: readonly string[] | null) => {
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const lastEventId = told === null ? "gone" : position;
    past.set(lastEventId, async () => {
      await isAnswered;
      return told?.map(at) ?? null;
    });
    end = async () => position;
    return { opening: feed.open(ownerIn(here), lastEventId), answer };
  };
  const openNow = async (position: string, told: readonly string[] | null) => {
    const { opening, answer } = openAfter(position, told);
    answer();
    return (await opening)!;
  };
  const fail = () => {
    end = () => Promise.reject(new Error("away"));
    return feed.open(ownerIn(here), undefined);
  };
  return { feed, hear, openAfter, openNow, fail };
}

describe("event feed of one of several nodes", () => {
  test("[EV2] [EV8] past events are not sent again, whether the node receives them before, during or after the read", async () => {
    const { hear, openAfter, openNow } = createSharedFeed();
    const early = await openNow("0-0", []);
    hear("1-0", "1-1");
    const { opening, answer } = openAfter("1-0", ["1-1", "2-0", "3-0"]);
    hear("2-0");
    answer();
    const reader = (await opening)!;
    expect(idsOf(reader.greeting)).toEqual(["1-0"]);
    expect(playersOf(reader)).toEqual(["at-1-1", "at-2-0", "at-3-0"]);
    hear("3-0");
    expect(playersOf(reader)).toEqual([]);
    hear("4-0", "10-0");
    expect(playersOf(reader)).toEqual(["at-4-0", "at-10-0"]);
    expect(playersOf(early)).toEqual(["at-1-0", "at-1-1", "at-2-0", "at-3-0", "at-4-0", "at-10-0"]);
  });

  test("[EV8] a new reader does not get earlier events, however late the node receives them", async () => {
    const { hear, openNow } = createSharedFeed();
    const reader = await openNow("9-0", []);
    hear("8-0", "9-0");
    expect(playersOf(reader)).toEqual([]);
    hear("9-1");
    expect(playersOf(reader)).toEqual(["at-9-1"]);
    const lost = await openNow("9-1", null);
    expect(lost.greeting).toContain("event: reset");
    hear("9-1", "11-0");
    expect(playersOf(lost)).toEqual(["at-11-0"]);
  });

  test("[EV9] events are kept for a listener from the moment it asks, however long its past takes to read", async () => {
    const { feed, hear, openAfter, openNow } = createSharedFeed();
    (await openNow("0-1", [])).close();
    const { opening, answer } = openAfter("0-0", ["1-0"]);
    (await openNow("0-1", [])).close();
    hear("1-0", "2-0");
    answer();
    const reader = (await opening)!;
    expect(playersOf(reader)).toEqual(["at-1-0", "at-2-0"]);
    let news = 0;
    reader.onNews(() => (news += 1));
    hear("3-0");
    expect([news, playersOf(reader)]).toEqual([1, ["at-3-0"]]);
    reader.close();
    expect(feed.size()).toEqual({ namespaces: 0, readers: 0, characters: 0 });
  });

  test("[EV5] [EV9] one whose events were dropped while its past was read is cut off, not left with a hole", async () => {
    const { hear, openAfter } = createSharedFeed({ eventsPerNamespaceMax: 2 });
    const { opening, answer } = openAfter("0-0", ["1-0"]);
    hear("1-0", "2-0", "3-0", "4-0");
    answer();
    const reader = (await opening)!;
    expect([reader.hasFallenBehind(), playersOf(reader)]).toEqual([true, null]);
    const fitting = openAfter("0-0", ["1-0", "2-0"]);
    fitting.answer();
    expect(playersOf((await fitting.opening)!)).toEqual(["at-1-0", "at-2-0", "at-3-0", "at-4-0"]);
  });

  test("[EV3] [EV8] a gap is reported to readers that have no later event yet, and to no others", async () => {
    const { feed, hear, openNow } = createSharedFeed();
    const behind = await openNow("2-0", []);
    const ahead = await openNow("2-0", ["5-0"]);
    hear("2-0");
    feed.pushGap(here, "2-0", "5-0");
    hear("5-0", "6-0");
    expect(behind.read()!.match(/^event: .+$/gm)).toEqual([
      "event: reset",
      "event: player.reserved",
      "event: player.reserved",
    ]);
    expect(playersOf(ahead)).toEqual(["at-5-0", "at-6-0"]);
  });

  test("[EV3] an event that cannot be shown, because another Foyer wrote it, is a gap, and those after it follow", async () => {
    const { feed, hear, openNow } = createSharedFeed();
    const bad = { ...event(here, "bad"), at: Number.NaN, position: "3-0" } as PlacedEvent;
    const reader = await openNow("2-0", []);
    hear("2-0");
    feed.push(bad);
    hear("4-0");
    expect(reader.read()!.match(/^(?:id|event): .+$/gm)).toEqual([
      ...["id: 3-0", "event: reset"],
      ...["id: 4-0", "event: player.reserved"],
    ]);
  });

  test("[EV8] also after thousands of events, of which most are dropped again", async () => {
    const { hear, openNow } = createSharedFeed();
    await openNow("0-0", []);
    const positions = Array.from({ length: 3_000 }, (_, index) => `${index + 1}-0`);
    hear(...positions);
    expect(playersOf(await openNow("2990-0", ["2991-0"]))).toEqual(positions.slice(2_990).map((at) => `at-${at}`));
  });

  test("[EV9] a failed read of the past releases the slot", async () => {
    const { feed, fail } = createSharedFeed({ readersMax: 1 });
    await expect(fail()).rejects.toThrow("away");
    await expect(fail()).rejects.toThrow("away");
    expect(feed.size().readers).toBe(0);
  });
});
