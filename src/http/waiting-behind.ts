import type { IncomingMessage } from "node:http";
import { pipelinedBytesMax, pipelinedRequestsMax, pipelinedRequestsPerClientMax } from "../ground/limits.ts";
import type { Arrived, Connection } from "./exchange.ts";

/** The requests that have come on connections behind those that the connections are busy with. */
export interface WaitingBehind {
  /** Ends the connection when this is too much for it, or for its client. */
  add(connection: Connection, arrived: Arrived): void;
  /** The next of the connection, if there is one, and if the connection is not about to end. */
  take(connection: Connection): Arrived | null;
  drop(connection: Connection): void;
}

export function createWaitingBehind(parts: {
  /** Null: its client may have as many as its connections. */
  findCounted(raw: IncomingMessage): string | null;
}): WaitingBehind {
  /** How many each client has, if it has any. */
  const counts = new Map<string, number>();

  /** Says whether the client has too many. */
  function count(raw: IncomingMessage, change: 1 | -1): boolean {
    const client = parts.findCounted(raw);
    if (client === null) return false;
    const waiting = (counts.get(client) ?? 0) + change;
    if (waiting === 0) counts.delete(client);
    else counts.set(client, waiting);
    return waiting > pipelinedRequestsPerClientMax;
  }

  function drop({ waiting }: Connection): void {
    for (const { raw } of waiting.splice(0)) count(raw, -1);
  }

  return {
    add(connection, arrived) {
      const { socket, waiting } = connection;
      if (waiting.length === 0) connection.readBytes = socket.bytesRead;
      waiting.push(arrived);
      const isTooMuchOfClient = count(arrived.raw, 1);
      const isTooMuch = socket.bytesRead - connection.readBytes > pipelinedBytesMax;
      if (isTooMuchOfClient || isTooMuch || waiting.length > pipelinedRequestsMax) socket.destroy();
    },
    take(connection) {
      const { socket, waiting } = connection;
      // Closing, as the last answer may have said: what came behind it is not answered.
      if (socket.destroyed || !socket.writable) drop(connection);
      const next = waiting.shift();
      if (next === undefined) return null;
      count(next.raw, -1);
      connection.readBytes = socket.bytesRead;
      return next;
    },
    drop,
  };
}
