import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { requestWaitMaxMs } from "../ground/limits.ts";
import type { ClientLines } from "./client-lines.ts";
import type { RequestClient } from "./exchange.ts";

/** Connections that Foyer does not read for a while, because so many requests wait that it could only keep what they bring. */
export interface UnreadConnections {
  count(): number;
  /** The request is answered, and nothing has come behind it. Stops reading its connection if that may wait. */
  leave(answered: IncomingMessage): void;
  /** Reads some again if few requests wait, and those that have waited long enough. */
  readSome(): void;
}

/** Only while more requests wait than this, connections stay unread. */
export const crowdedFrom = 128;
/** If clients wait with no more requests than this on average, they wait about as long in the order of their connections. */
const perClientMax = 4;
/** What was read is removed when there is so much of it. */
const readMax = 1_024;

/**
 * A request that waits takes memory and, because it lives so long, much time of the collector. What the system keeps for an unread
 * connection takes neither, but whose request it is cannot be known. So a connection stays unread only where that takes no turn from a
 * client that waits with little: its own client waits with at least as much as others, or all wait with little
 * (docs/decisions/0020).
 */
export function createUnreadConnections(
  waiting: Pick<ClientLines<unknown>, "count" | "clientCount" | "countOf">,
  findClient: (raw: IncomingMessage) => RequestClient,
): UnreadConnections {
  /** In the order in which they are read again, with those before `next` that were read. */
  let line: { readonly socket: Socket; readonly since: number }[] = [];
  let next = 0;

  function mayWait({ client, hasOwnConnection }: RequestClient): boolean {
    const perClient = waiting.count() / waiting.clientCount();
    return perClient <= perClientMax || (hasOwnConnection && waiting.countOf(client) >= perClient);
  }

  return {
    count: () => line.length - next,
    leave(answered) {
      const { socket, complete } = answered;
      // The rest of a body that was not waited for has to be read.
      if (!complete || socket.destroyed || !mayWait(findClient(answered))) return;
      socket.pause();
      line.push({ socket, since: performance.now() });
    },
    readSome() {
      if (next === line.length) return;
      const overdueSince = performance.now() - requestWaitMaxMs;
      let room = crowdedFrom - waiting.count();
      for (; next < line.length && (room > 0 || line[next]!.since <= overdueSince); next++, room--) {
        line[next]!.socket.resume();
      }
      if (next < line.length && next < readMax) return;
      line = line.slice(next);
      next = 0;
    },
  };
}
