import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ClientLines } from "./client-lines.ts";
import type { RequestClient } from "./exchange.ts";

/** Connections that Foyer does not read for a while, because so many requests wait that it could only keep what they bring. */
export interface UnreadConnections {
  count(): number;
  /** The request is answered, and nothing has come behind it. Stops reading its connection if that may wait. */
  leave(answered: IncomingMessage): void;
  /** Once in each turn. Reads some again: as many as there is room for, one in some turns, and those that have waited too long. */
  readSome(): void;
  /** Reads all again, and leaves none unread from now on. */
  stop(): void;
}

/** Only while more requests wait than this, connections stay unread. */
export const crowdedFrom = 128;
/** If clients wait with no more requests than this on average, they wait about as long in the order of their connections. */
const perClientMax = 4;
/** In one of so many turns a connection is read again also without room: what comes on other connections may take all of it. */
const turnsPerRead = 8;
/** What was read is removed when there is so much of it. */
const readMax = 1_024;
/** After this time a connection is read again in any case. */
const unreadMaxMs = 5_000;

/** Its next request is probably of the client that sent the last one. */
interface Unread {
  readonly socket: Socket;
  readonly client: string;
  readonly since: number;
}

/**
 * A request that waits takes memory and, because it lives so long, much time of the collector. What the system keeps for an unread
 * connection takes neither, but whose request it is cannot be known. So a connection stays unread only where that takes no turn from
 * a client that waits with little: its own client waits with at least as much as others, or all wait with little
 * (docs/decisions/0020).
 */
export function createUnreadConnections(parts: {
  waiting: Pick<ClientLines<unknown>, "count" | "clientCount" | "countOf">;
  findClient(raw: IncomingMessage): RequestClient;
  /** A clock that stands still while the event loop does. */
  waitedMs(): number;
}): UnreadConnections {
  const { waiting, findClient, waitedMs } = parts;
  /** In the order in which they are read again, with those before `next` that were read. */
  let line: Unread[] = [];
  let next = 0;
  let turn = 0;
  /** How many of each client are unread. */
  const counts = new Map<string, number>();
  let isStopped = false;

  const count = () => line.length - next;

  function mayWait({ client, hasOwnConnection }: RequestClient): boolean {
    // A client may wait with requests and with unread connections, so there may be more clients, but not fewer.
    const perClient = (waiting.count() + count()) / Math.max(waiting.clientCount(), counts.size);
    if (perClient <= perClientMax) return true;
    return hasOwnConnection && waiting.countOf(client) + (counts.get(client) ?? 0) >= perClient;
  }

  function read({ socket, client }: Unread): void {
    const left = counts.get(client)! - 1;
    if (left === 0) counts.delete(client);
    else counts.set(client, left);
    socket.resume();
  }

  return {
    count,
    leave(answered) {
      const { socket, complete } = answered;
      // The rest of a body that was not waited for has to be read. A connection that closes brings nothing more.
      if (isStopped || !complete || socket.destroyed || !socket.writable) return;
      const of = findClient(answered);
      if (!mayWait(of)) return;
      socket.pause();
      line.push({ socket, client: of.client, since: waitedMs() });
      counts.set(of.client, (counts.get(of.client) ?? 0) + 1);
    },
    readSome() {
      if (count() === 0) return;
      const overdueSince = waitedMs() - unreadMaxMs;
      turn += 1;
      let room = Math.max(turn % turnsPerRead === 0 ? 1 : 0, crowdedFrom - waiting.count());
      for (; next < line.length && (room > 0 || line[next]!.since <= overdueSince); next++, room--) read(line[next]!);
      if (next < line.length && next < readMax) return;
      line = line.slice(next);
      next = 0;
    },
    stop() {
      isStopped = true;
      for (const unread of line.splice(next)) read(unread);
    },
  };
}
