import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { crowdedFrom, startsPerTurnMax } from "../ground/limits.ts";
import { createGate, type Gate } from "./gate.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Offers what clients ask for, and notes in which order it begins. */
function createLine(gate: Gate) {
  const begun: string[] = [];
  const wait = (client: string, { isUrgent = false, destroyed = false } = {}) => {
    // Cast: only this of the socket is looked at.
    const socket = { destroyed } as Socket;
    gate.wait(client, socket, (isLate) => void begun.push(isLate ? `${client} late` : client), isUrgent);
  };
  return { begun, wait, all: (count: number) => expect.poll(() => begun.length, { interval: 1 }).toBe(count) };
}

/** The socket of an answered request, and what is done with it. */
function createAnswered() {
  const done: string[] = [];
  const socket = {
    ...{ destroyed: false, writable: true },
    pause: () => void done.push("pause"),
    resume: () => void done.push("resume"),
  };
  // Cast: only this of the request is looked at.
  return { done, answered: { socket, complete: true } as unknown as Parameters<Gate["leave"]>[0] };
}

test("[FG1] clients that wait take turns, one of each, round and round", async () => {
  const { begun, wait, all } = createLine(createGate(() => false));
  for (const client of ["a", "a", "a", "b", "b", "c"]) wait(client);
  expect(begun).toEqual([]);
  await all(6);
  expect(begun.join(" ")).toBe("a b c a b a");
});

test("[FG1] at most 16 begin in one turn of the event loop, and a client that comes next has its turn with the others", async () => {
  const { begun, wait, all } = createLine(createGate(() => false));
  for (let count = 0; count < 40; count++) wait("a");
  await nextTurn();
  expect(begun).toHaveLength(startsPerTurnMax);
  wait("b");
  await all(41);
  expect(begun.indexOf("b")).toBeLessThan(startsPerTurnMax + 2);
});

test("[FG1] what waits on a connection that has ended does not begin, and takes no turn", async () => {
  const { begun, wait, all } = createLine(createGate(() => false));
  for (let count = 0; count < 20; count++) wait("a", { destroyed: true });
  for (let count = 0; count < startsPerTurnMax; count++) wait("b");
  await all(startsPerTurnMax);
  expect(new Set(begun)).toEqual(new Set(["b"]));
});

test("[FG7] while there is no room nothing begins but what is urgent; then all does", async () => {
  let isFull = true;
  const gate = createGate(() => isFull);
  const { begun, wait, all } = createLine(gate);
  for (let count = 0; count < 20; count++) wait("a");
  wait("probe", { isUrgent: true });
  await all(1);
  expect([begun, gate.waitingCount()]).toEqual([["probe"], 20]);
  isFull = false;
  await all(21);
  expect(gate.waitingCount()).toBe(0);
});

test("[FG7] urgent ones that come all the time leave every second turn to the others", async () => {
  const { begun, wait } = createLine(createGate(() => false));
  for (let count = 0; count < 30; count++) wait("probe", { isUrgent: true });
  for (let count = 0; count < 30; count++) wait("a");
  await nextTurn();
  expect(begun.filter((client) => client === "a")).toHaveLength(startsPerTurnMax / 2);
});

test("[FG7] what has waited for two seconds is late, whether there is room or not", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let isFull = true;
  const { begun, wait, all } = createLine(createGate(() => isFull));
  for (const client of ["a", "a", "b"]) wait(client);
  vi.advanceTimersByTime(1_999);
  await sleep(30);
  wait("c");
  expect(begun).toEqual([]);
  vi.advanceTimersByTime(1);
  await all(3);
  expect(begun.sort()).toEqual(["a late", "a late", "b late"]);
  isFull = false;
  await all(4);
  expect(begun.at(-1)).toBe("c");
});

test("[FG9] while 128 wait, answered connections stay unread until there is room, in their order; one a turn is read", async () => {
  let isFull = true;
  const gate = createGate(() => isFull);
  const { wait, all } = createLine(gate);
  const [first, second] = [createAnswered(), createAnswered()];
  for (let count = 0; count < crowdedFrom - 1; count++) wait("a");
  gate.leave(first.answered);
  expect([first.done, gate.unreadCount()]).toEqual([[], 0]);
  wait("a");
  gate.leave(first.answered);
  gate.leave(second.answered);
  expect([first.done, second.done, gate.unreadCount()]).toEqual([["pause"], ["pause"], 2]);
  await expect.poll(() => first.done, { interval: 1 }).toEqual(["pause", "resume"]);
  expect(gate.waitingCount()).toBe(crowdedFrom);
  await expect.poll(() => second.done, { interval: 1 }).toEqual(["pause", "resume"]);
  isFull = false;
  await all(crowdedFrom);
});

test("[FG9] connections that end, and those whose body has not come, are not left unread; when Foyer stops, all are read", async () => {
  const gate = createGate(() => true);
  const { wait, all } = createLine(gate);
  for (let count = 0; count < crowdedFrom; count++) wait("a");
  const { answered, done } = createAnswered();
  gate.leave({ ...answered, complete: false } as typeof answered);
  gate.leave({ ...answered, socket: { ...answered.socket, writable: false } } as typeof answered);
  expect([done, gate.unreadCount()]).toEqual([[], 0]);
  gate.leave(answered);
  gate.stop();
  expect([done, gate.unreadCount()]).toEqual([["pause", "resume"], 0]);
  await all(crowdedFrom);
});
