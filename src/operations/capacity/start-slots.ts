import { claimOn, furtherPlaces, type NodePlaces } from "../../ground/shares.ts";

/**
 * Counts the lobbies that are being created, from the decision until their drivers count their servers. The free slots
 * that a driver reports come too late: many requests would get the same last slot. Every namespace has a share of each
 * node's slots.
 */
export interface StartSlots {
  /** Whether any node starts lobbies at all. */
  readonly isPossible: boolean;
  /** Whether one more lobby of the namespace may be created there. */
  hasRoom(region: string, namespaceId: string): boolean;
  /** Whether a slot is free there, for any namespace. */
  hasFreeSlot(region: string): boolean;
  /** The message for the operator: why no slot is free there, and what to do. */
  describeShortage(region: string): string;
  /** Holds a slot for a lobby that may be created. The caller settles it. Null: no slot is free. */
  hold(region: string, namespaceId: string, lobbyId: string): StartSlot | null;
  /** The namespace requested a slot there and did not get one: it counts as a claimant. */
  ask(region: string, namespaceId: string): void;
  /**
   * Resolves when a slot is free, when a held slot may have become free, or after that time. Null: no slot is held that
   * could become free.
   */
  whenFree(region: string, namespaceId: string, waitMs: number): Promise<void> | null;
  /** The driver counts the lobby's server from now on, or will never start it. */
  counted(lobbyId: string): void;
}

export interface StartSlot {
  /** Releases the slot, unless the lobby was created: then the lobby keeps it until it is counted. */
  settle(isMade: boolean): void;
}

export interface StartSlotsOptions extends Pick<StartSlots, "isPossible" | "describeShortage"> {
  /** The slots of the nodes that serve the region, as last reported. */
  nodesFor(region: string): readonly NodePlaces[];
  /** Regions with the same pool share slots. */
  poolFor(region: string): string;
  /** After this time the reports of the drivers include a created lobby; null: `counted` is called instead. */
  countedAfterMs: number | null;
  /** Called when a namespace requests a slot. */
  ask(region: string, namespaceId: string): void;
}

export function createStartSlots(options: StartSlotsOptions): StartSlots {
  const { poolFor, countedAfterMs, ask } = options;
  const held = createHeldSlots();
  const room = createRoom(options, held);
  const waiters = createWaiters(room, held);

  function release(lobbyId: string): void {
    const slot = held.remove(lobbyId);
    if (slot) waiters.wake(slot.pool);
  }

  return {
    isPossible: options.isPossible,
    describeShortage: options.describeShortage,
    hasRoom: room.hasRoom,
    hasFreeSlot: (region) => room.countFree(region) > 0,
    ask,
    hold(region, namespaceId, lobbyId) {
      if (!room.hasRoom(region, namespaceId)) return null;
      held.add(lobbyId, { pool: poolFor(region), namespaceId });
      return {
        settle(isMade) {
          if (isMade) ask(region, namespaceId);
          if (!isMade) release(lobbyId);
          else if (countedAfterMs !== null) setTimeout(release, countedAfterMs, lobbyId).unref();
        },
      };
    },
    whenFree(region, namespaceId, waitMs) {
      if (room.hasRoom(region, namespaceId)) return Promise.resolve();
      if (room.countFor(region, namespaceId, nothing) <= 0) return null;
      return waiters.wait(poolFor(region), { region, namespaceId }, waitMs);
    },
    counted(lobbyId) {
      if (countedAfterMs === null) release(lobbyId);
    },
  };
}

interface HeldSlot {
  readonly pool: string;
  readonly namespaceId: string;
}

/** How many slots are held: `all` in total, `own` by one namespace. */
interface Taking {
  readonly all: number;
  readonly own: number;
}

const nothing: Taking = { all: 0, own: 0 };

function createHeldSlots() {
  const slots = new Map<string, HeldSlot>();
  /** By pool, and by pool and namespace. */
  const counts = new Map<string, number>();

  function count({ pool, namespaceId }: HeldSlot, change: number): void {
    for (const key of [pool, `${pool} ${namespaceId}`]) {
      const now = (counts.get(key) ?? 0) + change;
      if (now === 0) counts.delete(key);
      else counts.set(key, now);
    }
  }

  return {
    add(lobbyId: string, slot: HeldSlot): void {
      slots.set(lobbyId, slot);
      count(slot, 1);
    },
    /** Null: the lobby holds none. */
    remove(lobbyId: string): HeldSlot | null {
      const slot = slots.get(lobbyId);
      if (!slot) return null;
      slots.delete(lobbyId);
      count(slot, -1);
      return slot;
    },
    countIn: (pool: string) => counts.get(pool) ?? 0,
    taking: (pool: string, namespaceId: string): Taking => ({
      all: counts.get(pool) ?? 0,
      own: counts.get(`${pool} ${namespaceId}`) ?? 0,
    }),
  };
}

function createRoom({ nodesFor, poolFor }: StartSlotsOptions, held: ReturnType<typeof createHeldSlots>) {
  const countAll = (region: string) => nodesFor(region).reduce((sum, node) => sum + Math.max(0, node.free), 0);
  const takingIn = (region: string, namespaceId: string) => held.taking(poolFor(region), namespaceId);

  /**
   * How many more lobbies of the namespace may be created there while others are being created. It is not yet known
   * which of several nodes will run those, so the node that assigns them checks again.
   */
  function countFor(region: string, namespaceId: string, taking: Taking): number {
    const nodes = nodesFor(region);
    if (nodes.length === 1) return furtherPlaces(claimOn(nodes[0]!, namespaceId, taking));
    const share = nodes.reduce((sum, node) => sum + furtherPlaces(claimOn(node, namespaceId, nothing)), 0);
    return Math.min(countAll(region) - taking.all, share - taking.own);
  }

  return {
    countFor,
    /** The same, with the slots that are held now. */
    countLeftFor: (region: string, namespaceId: string) => countFor(region, namespaceId, takingIn(region, namespaceId)),
    countFree: (region: string) => countAll(region) - held.countIn(poolFor(region)),
    hasRoom(region: string, namespaceId: string): boolean {
      const taking = takingIn(region, namespaceId);
      // Usually there are enough slots, and then the claims of namespaces need not be counted.
      const spare = nodesFor(region).reduce(
        (sum, { free, places }) => sum + Math.max(0, free - Math.ceil(places / 4)),
        0,
      );
      return spare > taking.all || countFor(region, namespaceId, taking) > 0;
    },
  };
}

interface Waiter {
  readonly region: string;
  readonly namespaceId: string;
  resume(): void;
}

function createWaiters(room: ReturnType<typeof createRoom>, held: ReturnType<typeof createHeldSlots>) {
  const waiting = new Map<string, Set<Waiter>>();

  return {
    wait(pool: string, wanted: Omit<Waiter, "resume">, waitMs: number): Promise<void> {
      const waiters = waiting.get(pool) ?? new Set();
      waiting.set(pool, waiters);
      return new Promise((resolve) => {
        const timer = setTimeout(resume, waitMs);
        const waiter: Waiter = { ...wanted, resume };
        function resume(): void {
          clearTimeout(timer);
          waiters.delete(waiter);
          if (waiters.size === 0) waiting.delete(pool);
          resolve();
        }
        waiters.add(waiter);
      });
    },
    /** Resumes as many waiting requests as there are slots, and those for which no held slot is left to wait for. */
    wake(pool: string): void {
      const isSettled = held.countIn(pool) === 0;
      const resumed = new Map<string, number>();
      let left: number | null = null;
      for (const { region, namespaceId, resume } of waiting.get(pool) ?? []) {
        left ??= room.countFree(region);
        const before = resumed.get(namespaceId) ?? 0;
        if (isSettled || room.countFor(region, namespaceId, nothing) <= 0) resume();
        else if (left > 0 && room.countLeftFor(region, namespaceId) > before) {
          left -= 1;
          resumed.set(namespaceId, before + 1);
          resume();
        }
      }
    },
  };
}
