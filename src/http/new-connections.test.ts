import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createNewConnections } from "./new-connections.ts";

// Time stands still unless a test lets it pass.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"], now: 1_000_000 });
  vi.advanceTimersByTime(1000);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Accepts one connection in each turn of the event loop, and notes whose are opened. */
function createDoor(perTurnMax = 4) {
  const connections = createNewConnections({ perTurnMax });
  const opened: string[] = [];
  return {
    opened,
    async accept(...clients: (string | null)[]) {
      for (const client of clients) {
        connections.accept(client, () => opened.push(client ?? "nobody"));
        await nextTurn();
      }
    },
  };
}

test("[FG8] a connection that comes alone is read immediately", async () => {
  const { opened, accept } = createDoor();
  const accepted = accept("a");
  expect(opened).toEqual(["a"]);
  await accepted;
  await nextTurn();
  void accept("a");
  expect(opened).toEqual(["a", "a"]);
});

test("[FG8] while connections come, one of each client is read, and the others when no more come", async () => {
  const { opened, accept } = createDoor();
  // The first comes alone, as far as Foyer knows. The third one's client has had a turn, but no such client in the last 5 ms.
  await accept("a", "a", "a", "b", "a", "b", "c", "a");
  expect(opened).toEqual(["a", "a", "a", "b", "c"]);
  await nextTurn();
  await nextTurn();
  expect(opened).toEqual(["a", "a", "a", "b", "c", "a", "b", "a"]);
});

test("[FG8] while connections come, one more of the clients that have had a turn is read every 5 ms", async () => {
  const { opened, accept } = createDoor();
  await accept("a", "a", "b", "a", "b", "a", "b", "a");
  expect(opened).toEqual(["a", "a", "b", "a"]);
  for (const more of ["b", "a"]) {
    vi.advanceTimersByTime(4);
    await accept("b", "a");
    expect(opened.length).toBe(more === "b" ? 4 : 5);
    vi.advanceTimersByTime(2);
    await accept("b", "a");
    expect(opened.at(-1)).toBe(more);
  }
});

test("[FG8] while connections come, a client that has had no turn for 5 ms is like one that has had none", async () => {
  const { opened, accept } = createDoor();
  await accept("a", "a", "a", "b", "a", "a", "b");
  expect(opened.splice(0)).toEqual(["a", "a", "a", "b"]);
  vi.advanceTimersByTime(3);
  await accept("c");
  expect(opened.splice(0)).toEqual(["c"]);
  vi.advanceTimersByTime(5);
  // One of those that have had a turn is due, then c has another one, though b waits.
  await accept("c", "d", "d");
  expect(opened.splice(0)).toEqual(["a", "c", "d"]);
});

test("[FG8] clients that come for the first time do not hold up the others", async () => {
  const { opened, accept } = createDoor();
  await accept("a", "a", "a", "a");
  expect(opened).toEqual(["a", "a", "a"]);
  for (let i = 0; i < 10; i++) {
    await accept(`new ${i}`);
    vi.advanceTimersByTime(1);
  }
  expect(opened.slice(0, 10)).toContain("a");
  expect(opened.filter((client) => client === "a")).toHaveLength(4);
});

test.each([1, 4])("[FG8] afterwards at most %i are read between two turns of the event loop", async (perTurnMax) => {
  const { opened, accept } = createDoor(perTurnMax);
  await accept(...Array.from({ length: 20 }, () => "a"));
  while (opened.length < 20) {
    const before = opened.length;
    await nextTurn();
    expect(opened.length - before).toBeLessThanOrEqual(perTurnMax);
  }
});

test("[FG8] a connection of a proxy, or of this machine, never waits", async () => {
  const { opened, accept } = createDoor();
  await accept("a", "a", "a", null, null);
  expect(opened).toEqual(["a", "a", "a", "nobody", "nobody"]);
});
