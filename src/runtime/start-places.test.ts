import { describe, expect, test, vi } from "vitest";
import { createStartPlaces } from "./start-places.ts";

const anywhere = "eu";

/** Room for so many servers on the only node. */
function placesFor(room: number) {
  const drivers = { room };
  const places = createStartPlaces({ room: () => drivers.room, poolOf: () => "", countedAfterMs: null });
  /** The driver counts the lobby from now on. */
  const start = (lobbyId: string) => {
    drivers.room -= 1;
    places.counted(lobbyId);
  };
  return { places, drivers, start };
}

async function isSettled(promise: Promise<void> | null): Promise<boolean> {
  return Promise.race([promise!.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe("places for new lobbies", () => {
  test("[RT5] what is held counts until it is given back, or the driver counts it", () => {
    const { places, start } = placesFor(2);
    const one = places.hold(anywhere, "one");
    places.hold(anywhere, "two")?.settle(true);
    expect([places.hasRoom(anywhere), places.hold(anywhere, "three")]).toEqual([false, null]);
    one?.settle(false);
    expect(places.hasRoom(anywhere)).toBe(true);
    places.hold(anywhere, "three")?.settle(true);
    start("two");
    start("three");
    expect(places.hasRoom(anywhere)).toBe(false);
    expect(places.whenRoom(anywhere, 1_000)).toBeNull();
  });

  test("[RT5] a driver may be quicker than the answer to whoever asked for the lobby", () => {
    const { places, drivers, start } = placesFor(1);
    const one = places.hold(anywhere, "one");
    start("one");
    one?.settle(true);
    drivers.room += 1;
    expect(places.hasRoom(anywhere)).toBe(true);
  });

  test("[RT5] a place that comes back wakes one that waits, and the last one to be taken wakes them all", async () => {
    const { places, start } = placesFor(2);
    const held = [places.hold(anywhere, "one"), places.hold(anywhere, "two")];
    const waiting = [1, 2, 3].map(() => places.whenRoom(anywhere, 60_000));
    const woken = async () => (await Promise.all(waiting.map(isSettled))).filter(Boolean).length;
    expect(await woken()).toBe(0);
    held[0]!.settle(false);
    expect(await woken()).toBe(1);
    places.hold(anywhere, "three")?.settle(true);
    held[1]!.settle(true);
    start("two");
    expect(await woken()).toBe(1);
    start("three");
    expect(await woken()).toBe(3);
  });

  test("[RT5] room that is there need not be waited for, and no wait is longer than was said", async () => {
    const { places } = placesFor(1);
    expect(await isSettled(places.whenRoom(anywhere, 60_000))).toBe(true);
    places.hold(anywhere, "one");
    await places.whenRoom(anywhere, 1);
  });

  test("[ND3] where several nodes run lobbies, each region has its room, and a lobby counts until all have heard of it", () => {
    vi.useFakeTimers();
    const places = createStartPlaces({ room: () => 1, poolOf: (region) => region, countedAfterMs: 2_500 });
    places.hold("eu", "one")?.settle(true);
    places.counted("one");
    expect([places.hasRoom("eu"), places.hasRoom("us")]).toEqual([false, true]);
    vi.advanceTimersByTime(2_500);
    expect(places.hasRoom("eu")).toBe(true);
    vi.useRealTimers();
  });
});
