import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createConnectionTurns } from "./connection-turns.ts";
import { createConnection } from "./exchange.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const turns = createConnectionTurns({
  findClient: () => ({ client: "one", isCounted: false }),
  turns: {
    isOpen: () => true,
    wait: (_client, arrived) => arrived.begin(),
    noteConnection: () => {},
    takeLongestDelayMs: () => 0,
  },
});

function offer(begun: string[], name: string) {
  return { raw: {} as IncomingMessage, begin: () => void begun.push(name) };
}

test("[FG7] a connection that rests begins its next request when the time is over, and the one behind it afterwards", () => {
  const connection = createConnection({ bytesRead: 0, writable: true, destroyed: false } as Socket, null);
  connection.restsUntil = performance.now() + 1000;
  const begun: string[] = [];
  const next = offer(begun, "next");
  expect(turns.claim(connection, next.raw)).toBe(false);
  turns.wait(connection, next);
  turns.wait(connection, offer(begun, "behind"));
  vi.advanceTimersByTime(999);
  expect(begun).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(begun).toEqual(["next"]);
  turns.end(connection);
  expect(begun).toEqual(["next", "behind"]);
});

test("[FG7] a connection that rested and asks later does not wait", () => {
  const connection = createConnection({ bytesRead: 0 } as Socket, null);
  connection.restsUntil = performance.now() + 1000;
  vi.advanceTimersByTime(1000);
  expect(turns.claim(connection, {} as IncomingMessage)).toBe(true);
});
