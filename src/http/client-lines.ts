/** Requests, or connections, that wait, by client, in the order of the clients' turns. */
export interface ClientLines<Item> {
  /** How many wait. */
  count(): number;
  /** How many clients wait. */
  clientCount(): number;
  /** With how many the client waits. */
  countOf(client: string): number;
  add(client: string, item: Item, since?: number): void;
  /** What the client whose turn it is waits with. One has to wait. It is late if it has waited since `lateSince`. */
  takeNext(lateSince?: number): Taken<Item>;
  /**
   * While connections come, the event loop should continue quickly, so only this is taken: what a client waits with that had
   * had no turn lately and, now and then, what another one waits with. Null: nothing now.
   */
  takeWhileAccepting(lateSince?: number): Taken<Item> | null;
  /** Nothing waits, so all clients are equal again. */
  forget(): void;
}

interface Taken<Item> {
  readonly item: Item;
  readonly isLate: boolean;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly since: number;
}

/** A client that asks for nothing for so long after its turn is as good as one that has had none. */
const freshAfterMs = 5;
/** While connections come, so long passes between two turns of clients that have had one lately. */
const acceptingMs = 5;
/** More clients than this are forgotten all together, so that their number has a bound. */
const turnsKeptMax = 65_536;

/**
 * One item of each client has its turn, then one of the next client. Every second turn is for clients that have had none
 * lately, so that a client that asks now and then does not wait for those that ask all the time.
 */
export function createClientLines<Item>(): ClientLines<Item> {
  /** Clients that wait: those that have had no turn lately, and those that have, each in the order of their turns. */
  const fresh = createLines<Item>();
  const served = createLines<Item>();
  /** When a client last had a turn. */
  const turnsAt = new Map<string, number>();
  let count = 0;
  let isTurnOfFresh = true;
  /** When a client that had had a turn lately had another one. */
  let servedAt = 0;

  function noteTurn(client: string, now: number): void {
    if (turnsAt.size >= turnsKeptMax) turnsAt.clear();
    turnsAt.set(client, now);
  }

  function takeFrom(lines: Lines<Item>, lateSince = -1): Taken<Item> {
    const now = performance.now();
    const [client, line] = lines.first();
    const { item, since } = line.shift()!;
    const isLate = since <= lateSince;
    // A late one is refused, so it takes no turn from those that come after it.
    if (!isLate) isTurnOfFresh = lines === served;
    if (lines === served) servedAt = now;
    // The only client that waits stays where it is, which costs less.
    if (line.length === 0 || lines === fresh || lines.size() > 1) {
      lines.delete(client);
      if (line.length > 0) served.set(client, line);
    }
    noteTurn(client, now);
    count -= 1;
    return { item, isLate };
  }

  return {
    count: () => count,
    clientCount: () => fresh.size() + served.size(),
    countOf: (client) => (fresh.get(client) ?? served.get(client))?.length ?? 0,
    add(client, item, since = 0) {
      count += 1;
      const waiting = { item, since };
      const line = fresh.get(client) ?? served.get(client);
      if (line) return void line.push(waiting);
      const turnAt = turnsAt.get(client);
      const isFresh = turnAt === undefined || performance.now() - turnAt >= freshAfterMs;
      (isFresh ? fresh : served).set(client, [waiting]);
    },
    takeNext(lateSince) {
      const isOfFresh = fresh.size() > 0 && (isTurnOfFresh || served.size() === 0);
      return takeFrom(isOfFresh ? fresh : served, lateSince);
    },
    takeWhileAccepting(lateSince) {
      if (served.size() > 0 && performance.now() - servedAt >= acceptingMs) return takeFrom(served, lateSince);
      return fresh.size() > 0 ? takeFrom(fresh, lateSince) : null;
    },
    forget() {
      // Clearing a map makes a new table, also when it is empty.
      if (turnsAt.size > 0) turnsAt.clear();
    },
  };
}

type Lines<Item> = ReturnType<typeof createLines<Item>>;

/** The lines of some clients, in the order in which they were added. */
function createLines<Item>() {
  const lines = new Map<string, Waiting<Item>[]>();
  // Kept, because a new one passes over everything that was taken since the map made its table.
  let entries = lines.entries();

  return {
    size: () => lines.size,
    get: (client: string) => lines.get(client),
    set: (client: string, line: Waiting<Item>[]) => void lines.set(client, line),
    delete: (client: string) => void lines.delete(client),
    /** One has to be there. It is deleted before the next call, unless it is the only one. */
    first(): [client: string, line: Waiting<Item>[]] {
      // The kept one would pass it, and it may stay.
      if (lines.size === 1) return lines.entries().next().value!;
      let first = entries.next();
      if (first.done) {
        entries = lines.entries();
        first = entries.next();
      }
      return first.value!;
    },
  };
}
