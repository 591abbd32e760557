import type { IncomingMessage } from "node:http";
import { requestWaitMaxMs } from "../ground/limits.ts";
import { createClientLines } from "./client-lines.ts";
import type { Arrived } from "./exchange.ts";

/** Begins requests, for a short time in each turn of the event loop, so that no client fills it with what it has sent. */
export interface Turns {
  /** Whether a request may begin now. Otherwise it has to wait. */
  isOpen(): boolean;
  /** Begins it later, in the turn of its client. */
  wait(client: string, arrived: Arrived): void;
  /** A connection was accepted in this turn. */
  noteConnection(): void;
  /** Whether the request waited for its turn longer than any request should. */
  isLate(raw: IncomingMessage): boolean;
}

/** So long requests are begun in one turn of the event loop. */
const turnMs = 2;
const perTurnMax = 16;
/** While connections come, a client that has had its turn has another one after so long. */
const acceptingMs = 5;
/** So often Foyer looks whether there is room again for requests that wait. */
const lookEveryMs = 2;

/**
 * While there is little to do, every request begins when it comes. What comes beyond that waits by client, and between two
 * turns the event loop takes what else has come. Of each connection one request at most is here.
 */
export function createTurns({ isFull }: { /** Whether too much is begun already. */ isFull(): boolean }): Turns {
  const lines = createClientLines();
  const late = new WeakSet<IncomingMessage>();
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
    if (lines.count() === 0) {
      lines.forget();
      return;
    }
    if (isFull()) {
      isScheduled = true;
      setTimeout(takeTurns, lookEveryMs);
      return;
    }
    const now = performance.now();
    endsAt = now + turnMs;
    schedule();
    if (isAccepting) {
      // The event loop accepts one connection at a time, and others may wait behind it, so it continues immediately.
      if (lines.hasFresh() || now - lines.servedAt() > acceptingMs) beginNext();
      return;
    }
    // Each in a callback of its own: what a request does in promises is then done before the next one begins.
    for (let i = Math.min(perTurnMax, lines.count()); i > 1; i--) setImmediate(beginNext);
    beginNext();
  }

  function beginNext(): void {
    if (lines.count() === 0 || performance.now() > endsAt) return;
    const { arrived, since } = lines.takeNext();
    // Its connection has ended.
    if (arrived.raw.socket.destroyed) return;
    if (performance.now() - since > requestWaitMaxMs) late.add(arrived.raw);
    arrived.begin();
  }

  return {
    isOpen() {
      const now = performance.now();
      if (endsAt === 0) endsAt = now + turnMs;
      schedule();
      return lines.count() === 0 && now < endsAt && !isFull();
    },
    wait(client, arrived) {
      lines.add(client, arrived);
      schedule();
    },
    noteConnection() {
      hasNewConnection = true;
    },
    isLate: (raw) => late.has(raw),
  };
}
