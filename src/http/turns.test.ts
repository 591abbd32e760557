import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { createTurns, type Turns } from "./turns.ts";

afterEach(() => {
  vi.useRealTimers();
});

const isUrgent = ({ url }: IncomingMessage) => url === "/healthz";
const findClient = () => ({ client: "a", isCounted: true, hasOwnConnection: true });
const withRoom = { isFull: () => false, isUrgent, findClient };
const ordinary = { url: "/" } as IncomingMessage;

/** Offers requests of clients, and notes in which order they begin. */
function createLine(turns: Turns) {
  const begun: string[] = [];
  const wait = (client: string, { destroyed = false, url = "/", isBody = false, begin = (): unknown => null } = {}) => {
    const raw = { url, socket: { destroyed } } as IncomingMessage;
    const beginNoted = () => {
      begun.push(client);
      begin();
    };
    turns.wait(client, { raw, begin: beginNoted }, isBody);
    return raw;
  };
  const all = async (count: number) => {
    while (begun.length < count) await nextTurn();
    return begun.join(" ");
  };
  return { begun, wait, all };
}

/** Lets time pass for what waits, without a stall. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    vi.advanceTimersByTime(100);
    await sleep(10);
  }
}

/** Longer than requests are begun in one turn. */
function spin(): void {
  const endsAt = performance.now() + 3;
  while (performance.now() < endsAt);
}

test("[FG1] each client that waits has one request begun in its turn", async () => {
  const { wait, all } = createLine(createTurns(withRoom));
  for (const client of ["a", "a", "a", "b", "b", "b"]) wait(client);
  expect(await all(6)).toBe("a a b a b b");
});

test("[FG1] every second turn is for a client that has had none", async () => {
  const { wait, all } = createLine(createTurns(withRoom));
  for (const client of ["a", "a", "a", "a", "b", "c", "d"]) wait(client);
  expect(await all(7)).toBe("a a b a c a d");
});

test("[FG1] a client that comes later has its turn before those that wait for others", async () => {
  const { wait, all } = createLine(createTurns(withRoom));
  for (let i = 0; i < 4; i++) wait("a", { begin: () => i === 1 && wait("late") });
  expect(await all(5)).toBe("a a late a a");
});

test("[FG1] when its time is used up the event loop goes on, and nothing begins at once while something waits", async () => {
  const turns = createTurns(withRoom);
  const { begun, wait, all } = createLine(turns);
  expect(turns.isOpen(ordinary)).toBe(true);
  spin();
  expect(turns.isOpen(ordinary)).toBe(false);
  for (let i = 0; i < 10; i++) wait("a", { begin: spin });
  let begunBefore = 0;
  setTimeout(() => {
    begunBefore = begun.length;
  }, 0);
  while (begun.length < 9) {
    await nextTurn();
    expect(turns.isOpen(ordinary)).toBe(false);
  }
  await all(10);
  expect(begunBefore).toBeLessThan(10);
  await nextTurn();
  await nextTurn();
  expect(turns.isOpen(ordinary)).toBe(true);
});

test("[FG1] a request whose connection has ended takes no turn", async () => {
  const { wait, all } = createLine(createTurns(withRoom));
  wait("a", { destroyed: true });
  wait("a");
  expect(await all(1)).toBe("a");
});

test("[FG2] in a turn with a new connection only clients without a turn begin, until the others have waited for a while", async () => {
  const turns = createTurns(withRoom);
  const { begun, wait } = createLine(turns);
  for (const client of ["a", "a", "a", "b", "c"]) wait(client);
  const acceptUntil = async (count: number) => {
    let most = 0;
    while (begun.length < count) {
      const before = begun.length;
      turns.noteConnection();
      await nextTurn();
      most = Math.max(most, begun.length - before);
    }
    return most;
  };
  expect(await acceptUntil(5)).toBe(1);
  expect(begun.filter((client) => client === "a")).toHaveLength(3);
});

test("[FG2] clients that come for the first time do not hold up the others", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const turns = createTurns(withRoom);
  const { begun, wait } = createLine(turns);
  for (let i = 0; i < 5; i++) wait("a");
  for (let i = 0; i < 20; i++) {
    turns.noteConnection();
    wait(`new ${i}`);
    await nextTurn();
    vi.advanceTimersByTime(1);
  }
  expect(begun.filter((client) => client === "a").length).toBeGreaterThanOrEqual(4);
});

test("[FG1] a client that has had no turn for 5 ms is like one that has had none", async () => {
  const { begun, wait, all } = createLine(createTurns(withRoom));
  wait("calm");
  for (let i = 0; i < 100; i++) wait(`busy ${i % 10}`, { begin: spin });
  await all(25);
  wait("calm");
  await all(28);
  expect(begun.slice(25, 28)).toContain("calm");
});

test("[FG1] turns stay in order while clients come and go", async () => {
  const { begun, wait, all } = createLine(createTurns(withRoom));
  let made = 0;
  const next = (): unknown => made < 3000 && wait(`c${made++}`, { begin: next });
  while (made < 1000) next();
  await all(3000);
  expect(begun).toEqual(Array.from({ length: 3000 }, (_, at) => `c${at}`));
});

test("[FG4] a request that has waited for two seconds is late", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let isFull = true;
  const turns = createTurns({ ...withRoom, isFull: () => isFull });
  const { wait, all } = createLine(turns);
  const first = wait("a");
  await pass(500);
  const second = wait("b");
  await pass(1500);
  isFull = false;
  await all(2);
  expect([first, second].map(turns.isLate)).toEqual([true, false]);
});

test("[FG4] the time of a stall does not count", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const turns = createTurns(withRoom);
  const { wait, all } = createLine(turns);
  const first = wait("a", { begin: () => vi.advanceTimersByTime(60_000) });
  const second = wait("b");
  await all(2);
  expect([first, second].map(turns.isLate)).toEqual([false, false]);
});

test("[FG7] while there is no room nothing begins, and afterwards all that waits", async () => {
  let isFull = true;
  const turns = createTurns({ ...withRoom, isFull: () => isFull });
  const { begun, wait, all } = createLine(turns);
  expect(turns.isOpen(ordinary)).toBe(false);
  for (const client of ["a", "b", "c"]) wait(client);
  await sleep(20);
  expect(begun).toEqual([]);
  isFull = false;
  expect(await all(3)).toBe("a b c");
  await sleep(20);
  expect(turns.isOpen(ordinary)).toBe(true);
});

test("[FG7] no more begin than there is room for", async () => {
  let room = 1;
  const { begun, wait, all } = createLine(createTurns({ ...withRoom, isFull: () => room === 0 }));
  const take = () => {
    room -= 1;
  };
  for (let i = 0; i < 10; i++) wait(`c${i}`, { begin: take });
  for (let count = 1; count <= 10; count++) {
    await all(count);
    await sleep(5);
    expect(begun.length).toBe(count);
    room = 1;
  }
});

test("[FG7] what needs no room begins while there is none, and otherwise has every second start", async () => {
  let isFull = true;
  const turns = createTurns({ ...withRoom, isFull: () => isFull });
  const { begun, wait, all } = createLine(turns);
  for (const client of ["a", "b", "c"]) wait(client);
  expect(turns.isOpen({ url: "/healthz" } as IncomingMessage)).toBe(true);
  expect(turns.isOpen(ordinary, true)).toBe(true);
  wait("probe", { url: "/healthz" });
  wait("body", { isBody: true });
  expect(await all(2)).toBe("probe body");
  isFull = false;
  for (let i = 0; i < 3; i++) wait("probe", { url: "/healthz" });
  await all(8);
  expect(begun.slice(2).join(" ")).toMatch(/^(probe a probe b probe c|a probe b probe c probe)$/);
});

test("[FG4] late requests take no turn from those of clients that have had none", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let isFull = true;
  const { wait, all } = createLine(createTurns({ ...withRoom, isFull: () => isFull }));
  wait("a");
  wait("a");
  wait("late");
  await pass(2000);
  wait("b");
  wait("c");
  isFull = false;
  expect(await all(5)).toBe("a late b a c");
});

test("[FG1] clients that come again when nothing waited in between are like new ones", async () => {
  const { begun, wait, all } = createLine(createTurns(withRoom));
  for (let round = 1; round <= 3; round++) {
    for (const client of ["a", "a", "b", "b"]) wait(client);
    await all(4 * round);
    expect(begun.slice(-4).join(" ")).toBe("a a b b");
    await sleep(5);
  }
});

test("[FG9] unread connections are read again also when nothing waits any more", async () => {
  const turns = createTurns(withRoom);
  const { wait, all } = createLine(turns);
  for (let i = 0; i < 200; i++) wait("a");
  const resume = vi.fn();
  const socket = { writable: true, pause: () => {}, resume };
  for (let i = 0; i < 2_000; i++) turns.end({ url: "/", complete: true, socket } as unknown as IncomingMessage);
  expect(turns.unreadCount()).toBe(2_000);
  await all(200);
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect(turns.unreadCount()).toBe(0);
  expect(resume).toHaveBeenCalledTimes(2_000);
});

test("[FG9] while few requests wait, and for probes, every connection is read", () => {
  const turns = createTurns(withRoom);
  const { wait } = createLine(turns);
  const socket = { writable: true, pause: () => {}, resume: () => {} };
  const answered = (url: string) => ({ url, complete: true, socket }) as unknown as IncomingMessage;
  for (let i = 0; i < 128; i++) wait("a");
  turns.end(answered("/"));
  expect(turns.unreadCount()).toBe(0);
  wait("a");
  turns.end(answered("/healthz"));
  expect(turns.unreadCount()).toBe(0);
  turns.end(answered("/"));
  expect(turns.unreadCount()).toBe(1);
});
