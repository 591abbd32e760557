import type { Arrived } from "./exchange.ts";

/** Requests that wait, by client, in the order of the clients' turns. */
export interface ClientLines {
  /** How many requests wait. */
  count(): number;
  /** Whether a client waits that has had no turn while others waited. */
  hasFresh(): boolean;
  add(client: string, arrived: Arrived): void;
  /** The request of the client whose turn it is. One has to wait. */
  takeNext(): Arrived;
  /** No request waits, so all clients are equal again. */
  forget(): void;
  /** When a client that had had a turn before had another one. */
  servedAt(): number;
  /** The longest time that a client has waited for its first turn, since the last call of this. */
  takeLongestDelayMs(): number;
}

/** What waits of one client. */
interface Line {
  readonly waiting: Arrived[];
  /** When the first one began to wait; null: the client has had a turn since. */
  since: number | null;
}

/**
 * One request of each client has its turn, then one of the next client. Every second turn is for clients that have had none
 * while others waited, so that a client that asks once does not wait for those that ask all the time.
 */
export function createClientLines(): ClientLines {
  /** Clients that have had no turn yet, and those that have, each in the order of their turns. */
  const fresh = new Map<string, Line>();
  const served = new Map<string, Line>();
  let count = 0;
  let isForFresh = true;
  let servedAt = 0;
  let longestDelayMs = 0;

  function noteTurn(line: Line): void {
    const now = performance.now();
    if (line.since === null) servedAt = now;
    else longestDelayMs = Math.max(longestDelayMs, now - line.since);
    line.since = null;
  }

  return {
    count: () => count,
    hasFresh: () => fresh.size > 0,
    add(client, arrived) {
      const line = fresh.get(client) ?? served.get(client);
      if (line) line.waiting.push(arrived);
      else fresh.set(client, { waiting: [arrived], since: performance.now() });
      count += 1;
    },
    takeNext() {
      for (;;) {
        const lines = fresh.size > 0 && (isForFresh || served.size === 0) ? fresh : served;
        const [client, line] = lines.entries().next().value!;
        lines.delete(client);
        const next = line.waiting.shift();
        // It had its turn and asked for no other until the next one came, so that it is forgotten.
        if (next === undefined) continue;
        isForFresh = lines === served;
        served.set(client, line);
        count -= 1;
        noteTurn(line);
        return next;
      }
    },
    forget() {
      // Clearing a map makes a new table, also when it is empty.
      if (served.size > 0) served.clear();
    },
    servedAt: () => servedAt,
    takeLongestDelayMs() {
      const delayMs = longestDelayMs;
      longestDelayMs = 0;
      return delayMs;
    },
  };
}
