import type { Arrived } from "./exchange.ts";

/** Requests that wait, by client, in the order of the clients' turns. */
export interface ClientLines {
  /** How many requests wait. */
  count(): number;
  /** Whether a client waits that has had no turn while others waited. */
  hasFresh(): boolean;
  add(client: string, arrived: Arrived, since: number): void;
  /** The request of the client whose turn it is. One has to wait. It is late if it has waited since the given moment. */
  takeNext(lateSince: number): { readonly arrived: Arrived; readonly isLate: boolean };
  /** No request waits, so all clients are equal again. */
  forget(): void;
  /** When a client that had had a turn before had another one. */
  servedAt(): number;
}

interface Waiting {
  readonly arrived: Arrived;
  readonly since: number;
}

/**
 * One request of each client has its turn, then one of the next client. Every second turn is for clients that have had none
 * while others waited, so that a client that asks once does not wait for those that ask all the time.
 */
export function createClientLines(): ClientLines {
  /** Clients that have had no turn yet, and those that have, each in the order of their turns. */
  const fresh = createLines();
  const served = createLines();
  let count = 0;
  let isForFresh = true;
  let servedAt = 0;

  return {
    count: () => count,
    hasFresh: () => fresh.size() > 0,
    add(client, arrived, since) {
      const line = fresh.get(client) ?? served.get(client);
      const waiting = { arrived, since };
      if (line) line.push(waiting);
      else fresh.set(client, [waiting]);
      count += 1;
    },
    takeNext(lateSince) {
      for (;;) {
        const lines = fresh.size() > 0 && (isForFresh || served.size() === 0) ? fresh : served;
        const [client, line] = lines.takeFirst();
        const next = line.shift();
        // It had its turn and asked for no other until the next one came, so that it is forgotten.
        if (next === undefined) continue;
        const isLate = next.since <= lateSince;
        // A late one is refused, so it takes no turn from those that come after it.
        if (!isLate) isForFresh = lines === served;
        if (lines === served) servedAt = performance.now();
        served.set(client, line);
        count -= 1;
        return { arrived: next.arrived, isLate };
      }
    },
    forget: served.clear,
    servedAt: () => servedAt,
  };
}

/** The lines of some clients, in the order in which they were added. */
function createLines() {
  const lines = new Map<string, Waiting[]>();
  // Kept, because a new one passes over everything that was taken since the map made its table.
  let entries = lines.entries();

  return {
    size: () => lines.size,
    get: (client: string) => lines.get(client),
    set: (client: string, line: Waiting[]) => void lines.set(client, line),
    /** One has to be there. */
    takeFirst(): [client: string, line: Waiting[]] {
      let first = entries.next();
      if (first.done) {
        entries = lines.entries();
        first = entries.next();
      }
      lines.delete(first.value![0]);
      return first.value!;
    },
    clear() {
      // Clearing a map makes a new table, also when it is empty; and an iterator keeps the one that it was made for.
      if (lines.size === 0) return;
      lines.clear();
      entries = lines.entries();
    },
  };
}
