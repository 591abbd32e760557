import { claimOn, furtherPlaces, type NodePlaces } from "../../ground/shares.ts";

/**
 * Counts the lobbies that are being made, from the moment they are planned until their drivers count their servers. What
 * a driver says of its room is too late by then: many requests would be told of the same last place. Of the places of
 * each node every namespace has a share.
 */
export interface StartPlaces {
  /** Whether one more lobby of the namespace may be made there. */
  hasRoom(region: string, namespaceId: string): boolean;
  /** Whether a place is free there, for whatever namespace. */
  hasFreePlace(region: string): boolean;
  /** Takes a place for a lobby that may be made. Whoever has it settles it. Null: there is no room. */
  hold(region: string, namespaceId: string, lobbyId: string): StartPlace | null;
  /** The namespace wants a place there that it does not get: it counts among those who want some. */
  ask(region: string, namespaceId: string): void;
  /**
   * Resolves when there is room, when a place that is only held may have come free, or after that time. Null: nothing is
   * held that could come free.
   */
  whenRoom(region: string, namespaceId: string, waitMs: number): Promise<void> | null;
  /** The driver counts the lobby's server from now on, or will never start it. */
  counted(lobbyId: string): void;
}

export interface StartPlace {
  /** Gives the place back, unless the lobby was made: then it has it until it is counted. */
  settle(isMade: boolean): void;
}

export interface StartPlacesOptions {
  /** The places of the nodes that run lobbies of the region, as their drivers said last. */
  nodesOf(region: string): readonly NodePlaces[];
  /** Regions with the same pool share the room. */
  poolOf(region: string): string;
  /** After so long the drivers have said that they count a lobby that was made; null: `counted` tells. */
  countedAfterMs: number | null;
  /** Hears which namespaces want places. */
  ask(region: string, namespaceId: string): void;
}

interface Held {
  readonly region: string;
  readonly pool: string;
  readonly namespaceId: string;
}

interface Waiter {
  readonly region: string;
  readonly namespaceId: string;
  resume(): void;
}

const nothing = { all: 0, own: 0 };

export function createStartPlaces({ nodesOf, poolOf, countedAfterMs, ask }: StartPlacesOptions): StartPlaces {
  const held = new Map<string, Held>();
  /** By pool, and by pool and namespace. */
  const heldIn = new Map<string, number>();
  const waiting = new Map<string, Set<Waiter>>();

  function takingIn(region: string, namespaceId: string): typeof nothing {
    const pool = poolOf(region);
    return { all: heldIn.get(pool) ?? 0, own: heldIn.get(`${pool} ${namespaceId}`) ?? 0 };
  }

  /**
   * How many more lobbies of the namespace may be made there while so many are being made. On which of several nodes those
   * will be is not known yet, so whoever places them looks again.
   */
  function placesFor(region: string, namespaceId: string, taking: typeof nothing): number {
    const nodes = nodesOf(region);
    if (nodes.length === 1) return furtherPlaces(claimOn(nodes[0]!, namespaceId, taking));
    const share = nodes.reduce((sum, node) => sum + furtherPlaces(claimOn(node, namespaceId, nothing)), 0);
    return Math.min(roomIn(region) - taking.all, share - taking.own);
  }

  const roomIn = (region: string) => nodesOf(region).reduce((sum, node) => sum + Math.max(0, node.free), 0);
  const freeIn = (region: string) => roomIn(region) - (heldIn.get(poolOf(region)) ?? 0);

  function hasRoom(region: string, namespaceId: string): boolean {
    const taking = takingIn(region, namespaceId);
    // Mostly there is plenty, and then nobody need be counted.
    const spare = nodesOf(region).reduce((sum, { free, places }) => sum + Math.max(0, free - Math.ceil(places / 4)), 0);
    return spare > taking.all || placesFor(region, namespaceId, taking) > 0;
  }

  function count({ pool, namespaceId }: Held, change: number): void {
    for (const key of [pool, `${pool} ${namespaceId}`]) {
      const now = (heldIn.get(key) ?? 0) + change;
      if (now === 0) heldIn.delete(key);
      else heldIn.set(key, now);
    }
  }

  function release(lobbyId: string): void {
    const place = held.get(lobbyId);
    if (!place) return;
    held.delete(lobbyId);
    count(place, -1);
    wake(place.pool);
  }

  /** As many as there are places, and those for whom nothing is held any more that they could wait for. */
  function wake(pool: string): void {
    const isSettled = !heldIn.has(pool);
    const resumed = new Map<string, number>();
    let left: number | null = null;
    for (const { region, namespaceId, resume } of waiting.get(pool) ?? []) {
      left ??= freeIn(region);
      const before = resumed.get(namespaceId) ?? 0;
      if (isSettled || placesFor(region, namespaceId, nothing) <= 0) resume();
      else if (left > 0 && placesFor(region, namespaceId, takingIn(region, namespaceId)) > before) {
        left -= 1;
        resumed.set(namespaceId, before + 1);
        resume();
      }
    }
  }

  return {
    hasRoom,
    hasFreePlace: (region) => freeIn(region) > 0,
    ask,
    hold(region, namespaceId, lobbyId) {
      if (!hasRoom(region, namespaceId)) return null;
      const place = { region, pool: poolOf(region), namespaceId };
      held.set(lobbyId, place);
      count(place, 1);
      return {
        settle(isMade) {
          if (isMade) ask(region, namespaceId);
          if (!isMade) release(lobbyId);
          else if (countedAfterMs !== null) setTimeout(release, countedAfterMs, lobbyId).unref();
        },
      };
    },
    whenRoom(region, namespaceId, waitMs) {
      if (hasRoom(region, namespaceId)) return Promise.resolve();
      if (placesFor(region, namespaceId, nothing) <= 0) return null;
      const pool = poolOf(region);
      const waiters = waiting.get(pool) ?? new Set();
      waiting.set(pool, waiters);
      return new Promise((resolve) => {
        const timer = setTimeout(resume, waitMs);
        const waiter: Waiter = { region, namespaceId, resume };
        function resume(): void {
          clearTimeout(timer);
          waiters.delete(waiter);
          if (waiters.size === 0) waiting.delete(pool);
          resolve();
        }
        waiters.add(waiter);
      });
    },
    counted(lobbyId) {
      if (countedAfterMs === null) release(lobbyId);
    },
  };
}
