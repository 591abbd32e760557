import type { IncomingMessage } from "node:http";
import type { Arrived, Connection, RequestClient } from "./exchange.ts";
import type { Turns } from "./turns.ts";
import { createWaitingBehind } from "./waiting-behind.ts";

/** One request of each connection at a time, and of all connections as many as the service has time for. */
export interface ConnectionTurns {
  /** Whether the request may begin now, which it then has to. Otherwise it has to wait. */
  claim(connection: Connection, raw: IncomingMessage): boolean;
  /** Begins the request when it is its turn on its connection and that of its client. */
  wait(connection: Connection, arrived: Arrived): void;
  /** The connection is done with a request: the next one has its turn. */
  end(connection: Connection): void;
  /** The connection has ended. */
  drop(connection: Connection): void;
}

export function createConnectionTurns(parts: {
  findClient(raw: IncomingMessage): RequestClient;
  turns: Turns;
}): ConnectionTurns {
  const behind = createWaitingBehind({
    findCounted(raw) {
      const { client, isCounted } = parts.findClient(raw);
      return isCounted ? client : null;
    },
  });

  function claim(connection: Connection, raw: IncomingMessage): boolean {
    if (connection.turn === raw) return true;
    if (connection.turn !== null || !parts.turns.isOpen(raw)) return false;
    connection.turn = raw;
    connection.waitsSince = null;
    return true;
  }

  function wait(connection: Connection, arrived: Arrived): void {
    if (connection.turn !== null) {
      behind.add(connection, arrived);
      return;
    }
    connection.turn = arrived.raw;
    connection.waitsSince = performance.now();
    parts.turns.wait(parts.findClient(arrived.raw).client, arrived);
  }

  return {
    claim,
    wait,
    end(connection) {
      const answered = connection.turn;
      connection.turn = null;
      const next = behind.take(connection);
      if (next === null) return void (answered && parts.turns.end(answered));
      // Node makes its answer now, so that the connection does not look idle. If its client has no turn, it then waits for one.
      claim(connection, next.raw);
      next.begin();
    },
    drop: behind.drop,
  };
}
