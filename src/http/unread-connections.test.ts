import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createClientLines } from "./client-lines.ts";
import { createUnreadConnections, crowdedFrom } from "./unread-connections.ts";

/** Requests of clients wait; `answer` is the end of another one, and says whether its connection stays unread. */
function setUp() {
  const waiting = createClientLines<null>();
  const clock = { ms: 0 };
  const unread = createUnreadConnections({
    waiting,
    findClient: ({ headers }) => ({
      client: String(headers.from),
      isCounted: true,
      hasOwnConnection: headers.via === undefined,
    }),
    waitedMs: () => clock.ms,
  });
  const read: string[] = [];
  const wait = (client: string, count: number) => {
    for (let i = 0; i < count; i++) waiting.add(client, null);
  };
  const answer = (client: string, { via = undefined as string | undefined, complete = true, writable = true } = {}) => {
    let isUnread = false;
    const socket = {
      destroyed: false,
      writable,
      pause: () => {
        isUnread = true;
      },
      resume: () => void read.push(client),
    };
    unread.leave({ headers: { from: client, via }, complete, socket } as unknown as IncomingMessage);
    return isUnread;
  };
  const begin = (count: number) => {
    for (let i = 0; i < count; i++) waiting.takeNext();
  };
  return { clock, unread, read, wait, answer, begin };
}

test("[FG9] a client that waits with many requests brings no more on its connections, others do", () => {
  const { wait, answer } = setUp();
  wait("many", 200);
  wait("few", 2);
  expect(answer("many")).toBe(true);
  expect(answer("few")).toBe(false);
  expect(answer("none")).toBe(false);
});

test("[FG9] a proxy's connection stays read while a client waits with many: the next request may be of another one", () => {
  const { wait, answer } = setUp();
  wait("many", 200);
  wait("few", 2);
  expect(answer("many", { via: "proxy" })).toBe(false);
  expect(answer("few", { via: "proxy" })).toBe(false);
});

test("[FG9] every connection may stay unread while all clients wait with few requests", () => {
  const { wait, answer } = setUp();
  for (let client = 0; client < 100; client++) wait(`client ${client}`, 2);
  expect(answer("client 1")).toBe(true);
  expect(answer("client 1", { via: "proxy" })).toBe(true);
  expect(answer("none", { via: "proxy" })).toBe(true);
});

test("[FG9] a client stays one with many while its connections are unread", () => {
  const { unread, wait, answer, begin } = setUp();
  wait("many", 300);
  for (let client = 0; client < 40; client++) wait(`client ${client}`, 1);
  for (let i = 0; i < 200; i++) answer("many");
  begin(200);
  expect(unread.count()).toBe(200);
  // 140 requests of at most 41 clients wait: without what is unread, that would be less than 4 each.
  expect(answer("many")).toBe(true);
  expect(answer("client 1")).toBe(false);
  expect(answer("client 1", { via: "proxy" })).toBe(false);
});

test("[FG9] a connection stays read while the rest of a body comes on it, and when it closes", () => {
  const { unread, wait, answer } = setUp();
  wait("many", 200);
  expect(answer("many", { complete: false })).toBe(false);
  expect(answer("many", { writable: false })).toBe(false);
  expect(unread.count()).toBe(0);
});

test("[FG9] connections are read again in their order, as many as there is room for, and one in eight turns", () => {
  const { unread, read, wait, answer, begin } = setUp();
  wait("a", crowdedFrom + 1);
  for (let i = 0; i < 4; i++) answer("a");
  wait("b", crowdedFrom + 5);
  answer("b");
  for (let turn = 1; turn < 8; turn++) unread.readSome();
  expect(read).toEqual([]);
  unread.readSome();
  expect(read).toEqual(["a"]);
  begin(crowdedFrom + 8);
  unread.readSome();
  expect(read).toEqual(["a", "a", "a"]);
  begin(crowdedFrom - 2);
  unread.readSome();
  expect(read).toEqual(["a", "a", "a", "a", "b"]);
  expect(unread.count()).toBe(0);
});

test("[FG9] a connection is read again after 5 s, whatever waits", () => {
  const { clock, unread, read, wait, answer } = setUp();
  wait("a", 200);
  for (let i = 0; i < 3; i++) answer("a");
  clock.ms += 2_500;
  for (let i = 0; i < 3; i++) answer("a");
  clock.ms += 2_500;
  unread.readSome();
  expect(read).toEqual(["a", "a", "a"]);
  expect(unread.count()).toBe(3);
});

test("[FG9] all are read when Foyer stops, and none is left unread from then on", () => {
  const { unread, read, wait, answer } = setUp();
  wait("a", 200);
  for (let i = 0; i < 3; i++) answer("a");
  unread.readSome();
  unread.stop();
  expect(read).toHaveLength(3);
  expect(unread.count()).toBe(0);
  expect(answer("a")).toBe(false);
});

test("[FG9] each of many is read once, in its order", () => {
  const { unread, read, wait, answer } = setUp();
  for (let client = 0; client < 100; client++) wait(`waiting ${client}`, 2);
  const order = Array.from({ length: 3_000 }, (_, at) => `client ${at}`);
  for (const client of order) answer(client, { via: "proxy" });
  while (unread.count() > 0) unread.readSome();
  expect(read).toEqual(order);
});
