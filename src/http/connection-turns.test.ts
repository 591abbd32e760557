import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { createConnectionTurns } from "./connection-turns.ts";
import { type Arrived, createConnection } from "./exchange.ts";
import type { Turns } from "./turns.ts";

test("[T40] a request has its answer as soon as it is the first, also while it waits for its client's turn", () => {
  const line: Arrived[] = [];
  const turns = createConnectionTurns({
    findClient: () => ({ client: "203.0.113.7", isCounted: false, hasOwnConnection: true }),
    // No client has a turn.
    turns: {
      isOpen: () => false,
      wait: (_client: string, arrived: Arrived) => void line.push(arrived),
    } as unknown as Turns,
  });
  const socket = new Socket();
  const connection = createConnection(socket, null);
  const [first, second] = [new IncomingMessage(socket), new IncomingMessage(socket)];
  turns.wait(connection, { raw: first, begin() {} });
  const handle = vi.fn();
  // What Node does with the request: it makes the answer, and gives both to Foyer.
  const makeAnswer = vi.fn(() => {
    if (!turns.claim(connection, second)) turns.wait(connection, { raw: second, begin: handle });
  });
  turns.wait(connection, { raw: second, begin: makeAnswer });

  turns.end(connection);
  expect(makeAnswer).toHaveBeenCalledOnce();
  expect(handle).not.toHaveBeenCalled();
  expect(connection.turn).toBe(second);
  line[1]!.begin();
  expect(handle).toHaveBeenCalledOnce();
});
