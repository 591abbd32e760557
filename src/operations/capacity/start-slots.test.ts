import { describe, expect, test, vi } from "vitest";
import { createHoldings, type NodePlaces } from "../../ground/shares.ts";
import { createStartSlots } from "./start-slots.ts";

const anywhere = "eu";
const one = "namespace one";
const other = "namespace two";

/** The only node, with so many slots. */
function slotsFor(size: number) {
  const holdings = createHoldings();
  const node: NodePlaces = {
    places: size,
    get free() {
      return size - holdings.total();
    },
    heldBy: holdings.heldBy,
    claimants: (who) => new Set(holdings.counts(0).keys()).add(who).size,
  };
  const slots = createStartSlots({
    isPossible: true,
    describeShortage: () => "full",
    nodesFor: () => [node],
    poolFor: () => "",
    countedAfterMs: null,
    ask: (_region, namespaceId) => holdings.note(namespaceId, 0),
  });
  /** The driver counts the lobby from now on. */
  const start = (lobbyId: string, namespaceId = one) => {
    holdings.add(namespaceId, 0);
    slots.counted(lobbyId);
  };
  const end = (namespaceId = one) => holdings.remove(namespaceId, 0);
  /** Makes lobbies until it gets no more. */
  const fill = (namespaceId: string) => {
    let count = 0;
    while (slots.hold(anywhere, namespaceId, `${namespaceId} ${count}`)) count += 1;
    for (let made = 0; made < count; made++) start(`${namespaceId} ${made}`, namespaceId);
    return count;
  };
  return { slots, holdings, start, end, fill };
}

async function isSettled(promise: Promise<void> | null): Promise<boolean> {
  return Promise.race([promise!.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe("slots for new lobbies", () => {
  test("[RT5] a reserved slot counts until it is released, or the driver counts it", () => {
    const { slots, start } = slotsFor(2);
    const first = slots.hold(anywhere, one, "one");
    slots.hold(anywhere, one, "two")?.settle(true);
    expect([slots.hasRoom(anywhere, one), slots.hold(anywhere, one, "three")]).toEqual([false, null]);
    first?.settle(false);
    expect(slots.hasRoom(anywhere, one)).toBe(true);
    slots.hold(anywhere, one, "three")?.settle(true);
    start("two");
    start("three");
    expect(slots.hasRoom(anywhere, one)).toBe(false);
    expect(slots.whenFree(anywhere, one, 1_000)).toBeNull();
  });

  test("[RT5] a driver may be quicker than the answer to the call that asked for the lobby", () => {
    const { slots, start, end } = slotsFor(1);
    const first = slots.hold(anywhere, one, "one");
    start("one");
    first?.settle(true);
    end();
    expect(slots.hasRoom(anywhere, one)).toBe(true);
  });

  test("[RT5] a released slot wakes one waiting call, and the last one taken wakes them all", async () => {
    const { slots, start } = slotsFor(2);
    const held = [slots.hold(anywhere, one, "one"), slots.hold(anywhere, one, "two")];
    const waiting = [1, 2, 3].map(() => slots.whenFree(anywhere, one, 60_000));
    const woken = async () => (await Promise.all(waiting.map(isSettled))).filter(Boolean).length;
    expect(await woken()).toBe(0);
    held[0]!.settle(false);
    expect(await woken()).toBe(1);
    slots.hold(anywhere, one, "three")?.settle(true);
    held[1]!.settle(true);
    start("two");
    expect(await woken()).toBe(1);
    start("three");
    expect(await woken()).toBe(3);
  });

  test("[RT5] when no slot is reserved no call keeps waiting, however few slots there are", async () => {
    const { slots } = slotsFor(1);
    const held = slots.hold(anywhere, one, "one");
    const waiting = [1, 2, 3].map(() => slots.whenFree(anywhere, one, 60_000));
    held!.settle(false);
    expect(await Promise.all(waiting.map(isSettled))).toEqual([true, true, true]);
  });

  test("[RT5] room that is there need not be waited for, and no wait is longer than was said", async () => {
    const { slots } = slotsFor(1);
    expect(await isSettled(slots.whenFree(anywhere, one, 60_000))).toBe(true);
    slots.hold(anywhere, one, "one");
    await slots.whenFree(anywhere, one, 1);
  });

  test("[ND3] with several nodes each region has its room, and a lobby counts until all nodes know of it", () => {
    vi.useFakeTimers();
    const node: NodePlaces = { places: 1, free: 1, heldBy: () => 0, claimants: () => 1 };
    const slots = createStartSlots({
      isPossible: true,
      describeShortage: () => "full",
      nodesFor: () => [node],
      poolFor: (region) => region,
      countedAfterMs: 2_500,
      ask() {},
    });
    slots.hold("eu", one, "one")?.settle(true);
    slots.counted("one");
    expect([slots.hasRoom("eu", one), slots.hasRoom("us", one)]).toEqual([false, true]);
    vi.advanceTimersByTime(2_500);
    expect(slots.hasRoom("eu", one)).toBe(true);
    vi.useRealTimers();
  });
});

describe("shares of the slots for lobbies", () => {
  test("[SH1] [SH5] a single namespace gets all; once another one asks, free slots go to that one", () => {
    const { slots, fill, end } = slotsFor(8);
    expect(fill(one)).toBe(8);
    expect([slots.hasRoom(anywhere, other), slots.hasFreeSlot(anywhere)]).toEqual([false, false]);
    slots.ask(anywhere, other);
    end();
    expect([slots.hasRoom(anywhere, one), slots.hasFreeSlot(anywhere)]).toEqual([false, true]);
    expect(slots.hold(anywhere, one, "again")).toBeNull();
    expect(slots.whenFree(anywhere, one, 60_000)).toBeNull();
    expect(fill(other)).toBe(1);
  });

  test("[SH5] reserved slots count for the share, and a call that waits for one is woken when it is released", async () => {
    const { slots, fill, start } = slotsFor(4);
    fill(other);
    const { slots: even, start: begin } = slotsFor(4);
    begin("a", other);
    const held = [even.hold(anywhere, one, "b"), even.hold(anywhere, one, "c")];
    expect(even.hold(anywhere, one, "d")).toBeNull();
    const [mine, theirs] = [even.whenFree(anywhere, one, 60_000), even.whenFree(anywhere, other, 60_000)];
    expect([await isSettled(mine), await isSettled(theirs)]).toEqual([false, true]);
    held[0]!.settle(false);
    expect(await isSettled(mine)).toBe(true);
    start("never", one);
    expect(slots.hasRoom(anywhere, one)).toBe(false);
  });

  test("[SH6] over several nodes a namespace gets the sum of its shares", () => {
    const nodes = [6, 2].map((held): NodePlaces => {
      const claimants = () => 2;
      return { places: 8, free: 8 - held, heldBy: (who) => (who === one ? held : 0), claimants };
    });
    const slots = createStartSlots({
      isPossible: true,
      describeShortage: () => "full",
      nodesFor: () => nodes,
      poolFor: () => "",
      countedAfterMs: 2_500,
      ask() {},
    });
    const count = (namespaceId: string) => {
      let taken = 0;
      while (slots.hold(anywhere, namespaceId, `${namespaceId} ${taken}`)) taken += 1;
      return taken;
    };
    // Nothing more on the first, where others have the last two; on the second as long as more than a quarter is free.
    expect(count(one)).toBe(4);
    // Some are only held, so they are worth waiting for.
    expect(slots.whenFree(anywhere, one, 1)).not.toBeNull();
    expect(count(other)).toBe(4);
  });
});
