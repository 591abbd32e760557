import type { IncomingMessage } from "node:http";
import { requestWaitMaxMs } from "../ground/limits.ts";
import { type ClientLines, createClientLines } from "./client-lines.ts";
import type { Arrived } from "./exchange.ts";

/** The requests and bodies that wait for their turns. */
export interface WaitingRequests {
  /** Those that need room. */
  readonly ordinary: Pick<ClientLines<Arrived>, "count" | "clientCount" | "countOf">;
  /** How many of all wait. */
  count(): number;
  /** How many may begin now. */
  readyCount(): number;
  hasUrgent(): boolean;
  /** One that is urgent needs no room. */
  add(client: string, arrived: Arrived, isUrgent: boolean): void;
  /** The next one; null: none may begin now. */
  take(isAccepting: boolean): Arrived | null;
  /** Whether the request waited for its turn longer than any request should. */
  isLate(raw: IncomingMessage): boolean;
  /** The time for which requests have waited because of others. Call it again and again while something waits. */
  waitedMs(): number;
  /** Nothing waits, so all clients are equal again. */
  forget(): void;
}

export function createWaitingRequests(isFull: () => boolean): WaitingRequests {
  const lines = createClientLines<Arrived>();
  /** What waits and needs no room. Every second turn is for it. */
  const urgent = createClientLines<Arrived>();
  let isForUrgent = true;
  const late = new WeakSet<IncomingMessage>();
  const waited = createWaitingClock();

  return {
    ordinary: lines,
    count: () => lines.count() + urgent.count(),
    readyCount: () => urgent.count() + (isFull() ? 0 : lines.count()),
    hasUrgent: () => urgent.count() > 0,
    add: (client, arrived, isUrgent) => (isUrgent ? urgent : lines).add(client, arrived, waited.ms()),
    take(isAccepting) {
      const canTakeLine = lines.count() > 0 && !isFull();
      const from = urgent.count() > 0 && (isForUrgent || !canTakeLine) ? urgent : lines;
      isForUrgent = from === lines;
      if (from === lines && !canTakeLine) return null;
      const lateSince = waited.ms() - requestWaitMaxMs;
      const taken = isAccepting && from === lines ? from.takeWhileAccepting(lateSince) : from.takeNext(lateSince);
      if (taken === null) return null;
      if (taken.isLate) late.add(taken.item.raw);
      return taken.item;
    },
    isLate: (raw) => late.has(raw),
    waitedMs: waited.ms,
    forget() {
      lines.forget();
      urgent.forget();
    },
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
