import { describe, expect, test, vi } from "vitest";
import { createHoldings, type NodePlaces } from "../../ground/shares.ts";
import { createStartPlaces } from "./start-slots.ts";

const anywhere = "eu";
const one = "namespace one";
const other = "namespace two";

/** The only node, with so many places. */
function placesFor(size: number) {
  const holdings = createHoldings();
  const node: NodePlaces = {
    places: size,
    get free() {
      return size - holdings.total();
    },
    heldBy: holdings.heldBy,
    claimants: (who) => new Set(holdings.counts(0).keys()).add(who).size,
  };
  const places = createStartPlaces({
    nodesOf: () => [node],
    poolOf: () => "",
    countedAfterMs: null,
    ask: (_region, namespaceId) => holdings.note(namespaceId, 0),
  });
  /** The driver counts the lobby from now on. */
  const start = (lobbyId: string, namespaceId = one) => {
    holdings.add(namespaceId, 0);
    places.counted(lobbyId);
  };
  const end = (namespaceId = one) => holdings.remove(namespaceId, 0);
  /** Makes lobbies until it gets no more. */
  const fill = (namespaceId: string) => {
    let count = 0;
    while (places.hold(anywhere, namespaceId, `${namespaceId} ${count}`)) count += 1;
    for (let made = 0; made < count; made++) start(`${namespaceId} ${made}`, namespaceId);
    return count;
  };
  return { places, holdings, start, end, fill };
}

async function isSettled(promise: Promise<void> | null): Promise<boolean> {
  return Promise.race([promise!.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe("places for new lobbies", () => {
  test("[RT5] what is held counts until it is given back, or the driver counts it", () => {
    const { places, start } = placesFor(2);
    const first = places.hold(anywhere, one, "one");
    places.hold(anywhere, one, "two")?.settle(true);
    expect([places.hasRoom(anywhere, one), places.hold(anywhere, one, "three")]).toEqual([false, null]);
    first?.settle(false);
    expect(places.hasRoom(anywhere, one)).toBe(true);
    places.hold(anywhere, one, "three")?.settle(true);
    start("two");
    start("three");
    expect(places.hasRoom(anywhere, one)).toBe(false);
    expect(places.whenRoom(anywhere, one, 1_000)).toBeNull();
  });

  test("[RT5] a driver may be quicker than the answer to whoever asked for the lobby", () => {
    const { places, start, end } = placesFor(1);
    const first = places.hold(anywhere, one, "one");
    start("one");
    first?.settle(true);
    end();
    expect(places.hasRoom(anywhere, one)).toBe(true);
  });

  test("[RT5] a place that comes back wakes one that waits, and the last one to be taken wakes them all", async () => {
    const { places, start } = placesFor(2);
    const held = [places.hold(anywhere, one, "one"), places.hold(anywhere, one, "two")];
    const waiting = [1, 2, 3].map(() => places.whenRoom(anywhere, one, 60_000));
    const woken = async () => (await Promise.all(waiting.map(isSettled))).filter(Boolean).length;
    expect(await woken()).toBe(0);
    held[0]!.settle(false);
    expect(await woken()).toBe(1);
    places.hold(anywhere, one, "three")?.settle(true);
    held[1]!.settle(true);
    start("two");
    expect(await woken()).toBe(1);
    start("three");
    expect(await woken()).toBe(3);
  });

  test("[RT5] when nothing is held any more nobody is left waiting, however few places there are", async () => {
    const { places } = placesFor(1);
    const held = places.hold(anywhere, one, "one");
    const waiting = [1, 2, 3].map(() => places.whenRoom(anywhere, one, 60_000));
    held!.settle(false);
    expect(await Promise.all(waiting.map(isSettled))).toEqual([true, true, true]);
  });

  test("[RT5] room that is there need not be waited for, and no wait is longer than was said", async () => {
    const { places } = placesFor(1);
    expect(await isSettled(places.whenRoom(anywhere, one, 60_000))).toBe(true);
    places.hold(anywhere, one, "one");
    await places.whenRoom(anywhere, one, 1);
  });

  test("[ND3] where several nodes run lobbies, each region has its room, and a lobby counts until all have heard of it", () => {
    vi.useFakeTimers();
    const node: NodePlaces = { places: 1, free: 1, heldBy: () => 0, claimants: () => 1 };
    const places = createStartPlaces({
      nodesOf: () => [node],
      poolOf: (region) => region,
      countedAfterMs: 2_500,
      ask() {},
    });
    places.hold("eu", one, "one")?.settle(true);
    places.counted("one");
    expect([places.hasRoom("eu", one), places.hasRoom("us", one)]).toEqual([false, true]);
    vi.advanceTimersByTime(2_500);
    expect(places.hasRoom("eu", one)).toBe(true);
    vi.useRealTimers();
  });
});

describe("shares of the places for lobbies", () => {
  test("[SH1] [SH5] a namespace alone gets all; once another one wants some, what comes free is for that one", () => {
    const { places, fill, end } = placesFor(8);
    expect(fill(one)).toBe(8);
    expect([places.hasRoom(anywhere, other), places.hasFreePlace(anywhere)]).toEqual([false, false]);
    places.ask(anywhere, other);
    end();
    expect([places.hasRoom(anywhere, one), places.hasFreePlace(anywhere)]).toEqual([false, true]);
    expect(places.hold(anywhere, one, "again")).toBeNull();
    expect(places.whenRoom(anywhere, one, 60_000)).toBeNull();
    expect(fill(other)).toBe(1);
  });

  test("[SH5] what is only held counts for the share, and one that waits for its own is woken when it comes back", async () => {
    const { places, fill, start } = placesFor(4);
    fill(other);
    const { places: even, start: begin } = placesFor(4);
    begin("a", other);
    const held = [even.hold(anywhere, one, "b"), even.hold(anywhere, one, "c")];
    expect(even.hold(anywhere, one, "d")).toBeNull();
    const [mine, theirs] = [even.whenRoom(anywhere, one, 60_000), even.whenRoom(anywhere, other, 60_000)];
    expect([await isSettled(mine), await isSettled(theirs)]).toEqual([false, true]);
    held[0]!.settle(false);
    expect(await isSettled(mine)).toBe(true);
    start("never", one);
    expect(places.hasRoom(anywhere, one)).toBe(false);
  });

  test("[SH6] over several nodes a namespace gets what it gets on each", () => {
    const nodes = [6, 2].map((held): NodePlaces => {
      const claimants = () => 2;
      return { places: 8, free: 8 - held, heldBy: (who) => (who === one ? held : 0), claimants };
    });
    const places = createStartPlaces({ nodesOf: () => nodes, poolOf: () => "", countedAfterMs: 2_500, ask() {} });
    const count = (namespaceId: string) => {
      let taken = 0;
      while (places.hold(anywhere, namespaceId, `${namespaceId} ${taken}`)) taken += 1;
      return taken;
    };
    // Nothing more on the first, where others have the last two; on the second as long as more than a quarter is free.
    expect(count(one)).toBe(4);
    // Some are only held, so they are worth waiting for.
    expect(places.whenRoom(anywhere, one, 1)).not.toBeNull();
    expect(count(other)).toBe(4);
  });
});
