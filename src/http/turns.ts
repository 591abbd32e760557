import type { IncomingMessage } from "node:http";
import { requestWaitMaxMs } from "../ground/limits.ts";
import { createClientLines } from "./client-lines.ts";
import type { Arrived } from "./exchange.ts";

/** Begins requests, for a short time in each turn of the event loop, so that no client fills it with what it has sent. */
export interface Turns {
  /** Whether a request, or the work on the body of one that has begun, may begin now. Otherwise it has to wait. */
  isOpen(raw: IncomingMessage, isBody?: boolean): boolean;
  /** Begins it later, in the turn of its client. */
  wait(client: string, arrived: Arrived, isBody?: boolean): void;
  /** How many requests and bodies wait. */
  count(): number;
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
}

/**
 * While there is little to do, every request begins when it comes. What comes beyond that waits by client, and between two
 * turns the event loop takes what else has come. Of each connection one request at most is here.
 */
export function createTurns({ isFull, isUrgent }: TurnParts): Turns {
  const lines = createClientLines<Arrived>();
  /** What waits and needs no room. Every second turn is for it. */
  const urgent = createClientLines<Arrived>();
  let isForUrgent = true;
  const late = new WeakSet<IncomingMessage>();
  const waited = createWaitingClock();
  let isScheduled = false;
  let endsAt = 0;
  let hasNewConnection = false;

  const count = () => lines.count() + urgent.count();

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
    if (count() === 0) {
      lines.forget();
      return void urgent.forget();
    }
    waited.ms();
    const ready = urgent.count() + (isFull() ? 0 : lines.count());
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
    const canTakeLine = lines.count() > 0 && !isFull();
    const from = urgent.count() > 0 && (isForUrgent || !canTakeLine) ? urgent : lines;
    isForUrgent = from === lines;
    if (from === lines && !canTakeLine) return;
    const lateSince = waited.ms() - requestWaitMaxMs;
    const taken = isAccepting && from === lines ? from.takeWhileAccepting(lateSince) : from.takeNext(lateSince);
    if (taken === null) return;
    const { item: arrived, isLate } = taken;
    // Its connection has ended.
    if (arrived.raw.socket.destroyed) return;
    if (isLate) late.add(arrived.raw);
    arrived.begin();
  }

  return {
    isOpen(raw, isBody = false) {
      const now = performance.now();
      if (endsAt === 0) endsAt = now + turnMs;
      schedule();
      if (now >= endsAt || urgent.count() > 0) return false;
      return (lines.count() === 0 && !isFull()) || isBody || isUrgent(raw);
    },
    wait(client, arrived, isBody = false) {
      (isBody || isUrgent(arrived.raw) ? urgent : lines).add(client, arrived, waited.ms());
      schedule();
    },
    count,
    noteConnection() {
      hasNewConnection = true;
    },
    isLate: (raw) => late.has(raw),
  };
}

/**
 * The time for which requests have waited because of other requests. While the process is frozen or the event loop stalls, they
 * do not: what has waited meanwhile is answered afterwards.
 */
function createWaitingClock() {
  let [ms, readAt] = [0, performance.now()];
  return {
    /** Call it again and again while something waits. */
    ms() {
      const now = performance.now();
      ms += Math.min(now - readAt, stepMaxMs);
      readAt = now;
      return ms;
    },
  };
}

/** Longer than requests are begun, or looked for, at a time; shorter than a stall that matters. */
const stepMaxMs = 100;
