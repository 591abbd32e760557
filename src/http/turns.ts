import type { IncomingMessage } from "node:http";
import type { Arrived, RequestClient } from "./exchange.ts";
import { createUnreadConnections, crowdedFrom } from "./unread-connections.ts";
import { createWaitingRequests } from "./waiting-requests.ts";

/** Begins requests, for a short time in each turn of the event loop, so that no client fills it with what it has sent. */
export interface Turns {
  /** Whether a request, or the work on the body of one that has begun, may begin now. Otherwise it has to wait. */
  isOpen(raw: IncomingMessage, isBody?: boolean): boolean;
  /** Begins it later, in the turn of its client. */
  wait(client: string, arrived: Arrived, isBody?: boolean): void;
  /** The request is answered, and nothing has come behind it: its connection is read again when there is time for more. */
  end(answered: IncomingMessage): void;
  /** How many requests and bodies wait. */
  count(): number;
  /** How many connections are not read for now, because so many requests wait. */
  unreadCount(): number;
  /** Foyer stops: every connection is read from now on, so that what it has brought is answered. */
  readAll(): void;
  /** A connection was accepted in this turn. */
  noteConnection(): void;
  /** Whether the request waited for its turn longer than any request should. */
  isLate(raw: IncomingMessage): boolean;
}

/** So long requests are begun in one turn of the event loop. */
const turnMs = 2;
const perTurnMax = 16;
/** How often Foyer checks whether there is room again for requests that wait. */
const lookEveryMs = 2;

interface TurnParts {
  /** Whether there is no room for more requests. */
  isFull(): boolean;
  /** Whether the request needs no room. */
  isUrgent(raw: IncomingMessage): boolean;
  findClient(raw: IncomingMessage): RequestClient;
}

/**
 * While there is little to do, every request begins when it comes. What comes beyond that waits by client, and between two
 * turns the event loop takes what else has come. Of each connection one request at most is here.
 */
export function createTurns({ isFull, isUrgent, findClient }: TurnParts): Turns {
  const waiting = createWaitingRequests(isFull);
  const unread = createUnreadConnections({ waiting: waiting.ordinary, findClient, waitedMs: waiting.waitedMs });
  let isScheduled = false;
  let endsAt = 0;
  let hasNewConnection = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(takeTurns);
  }

  /** The event loop has taken what had come. */
  function takeTurns(): void {
    isScheduled = false;
    endsAt = 0;
    const isAccepting = hasNewConnection;
    hasNewConnection = false;
    unread.readSome();
    if (waiting.count() === 0) {
      if (unread.count() > 0) schedule();
      else waiting.forget();
      return;
    }
    waiting.waitedMs();
    const ready = waiting.readyCount();
    if (ready === 0) {
      isScheduled = true;
      return void setTimeout(takeTurns, lookEveryMs);
    }
    endsAt = performance.now() + turnMs;
    schedule();
    // The event loop accepts one connection at a time, and others may wait behind it, so it continues immediately.
    if (isAccepting) return void beginNext(true);
    // Each in a callback of its own: what a request does in promises is then done before the next one begins.
    for (let i = Math.min(perTurnMax, ready); i > 1; i--) setImmediate(beginNext);
    beginNext();
  }

  function beginNext(isAccepting = false): void {
    if (performance.now() > endsAt) return;
    const arrived = waiting.take(isAccepting);
    // Null: none may begin. Destroyed: its connection has ended.
    if (arrived !== null && !arrived.raw.socket.destroyed) arrived.begin();
  }

  return {
    isOpen(raw, isBody = false) {
      const now = performance.now();
      if (endsAt === 0) endsAt = now + turnMs;
      schedule();
      if (now >= endsAt || waiting.hasUrgent()) return false;
      return (waiting.ordinary.count() === 0 && !isFull()) || isBody || isUrgent(raw);
    },
    wait(client, arrived, isBody = false) {
      waiting.add(client, arrived, isBody || isUrgent(arrived.raw));
      schedule();
    },
    end(answered) {
      // A probe's connection brings the next probe, which does not wait.
      if (waiting.ordinary.count() > crowdedFrom && !isUrgent(answered)) unread.leave(answered);
    },
    count: waiting.count,
    unreadCount: unread.count,
    readAll: unread.stop,
    noteConnection() {
      hasNewConnection = true;
    },
    isLate: waiting.isLate,
  };
}
