/**
 * Counts the lobbies that are being made, from the moment they are planned until their drivers count their servers. What
 * a driver says of its room is too late by then: many requests would be told of the same last place.
 */
export interface StartPlaces {
  /** Whether one more lobby may be made there. */
  hasRoom(region: string): boolean;
  /** Takes a place for a lobby that may be made. Whoever has it settles it. Null: there is no room. */
  hold(region: string, lobbyId: string): StartPlace | null;
  /**
   * Resolves when there is room, when a place that is only held may have come free, or after that time. Null: nothing is
   * held that could come free.
   */
  whenRoom(region: string, waitMs: number): Promise<void> | null;
  /** The driver counts the lobby's server from now on, or will never start it. */
  counted(lobbyId: string): void;
}

export interface StartPlace {
  /** Gives the place back, unless the lobby was made: then it has it until it is counted. */
  settle(isMade: boolean): void;
}

export interface StartPlacesOptions {
  /** How many more servers may be started there, as their drivers said last. */
  room(region: string): number;
  /** Regions with the same pool share the room. */
  poolOf(region: string): string;
  /** After so long the drivers have said that they count a lobby that was made; null: `counted` tells. */
  countedAfterMs: number | null;
}

interface Held {
  readonly region: string;
  readonly pool: string;
}

export function createStartPlaces({ room, poolOf, countedAfterMs }: StartPlacesOptions): StartPlaces {
  const held = new Map<string, Held>();
  const heldIn = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  const freeIn = (region: string) => room(region) - (heldIn.get(poolOf(region)) ?? 0);

  function count(pool: string, change: number): void {
    const now = (heldIn.get(pool) ?? 0) + change;
    if (now === 0) heldIn.delete(pool);
    else heldIn.set(pool, now);
  }

  function release(lobbyId: string): void {
    const place = held.get(lobbyId);
    if (!place) return;
    held.delete(lobbyId);
    count(place.pool, -1);
    wake(place);
  }

  /** As many as there are places; all of them when nothing is held any more that they could wait for. */
  function wake({ region, pool }: Held): void {
    const waiters = waiting.get(pool);
    if (!waiters) return;
    const isSettled = !heldIn.has(pool) || room(region) <= 0;
    let left = isSettled ? waiters.size : freeIn(region);
    for (const resume of waiters) if (left-- > 0) resume();
  }

  return {
    hasRoom: (region) => freeIn(region) > 0,
    hold(region, lobbyId) {
      if (freeIn(region) <= 0) return null;
      const pool = poolOf(region);
      held.set(lobbyId, { region, pool });
      count(pool, 1);
      return {
        settle(isMade) {
          if (!isMade) release(lobbyId);
          else if (countedAfterMs !== null) setTimeout(release, countedAfterMs, lobbyId).unref();
        },
      };
    },
    whenRoom(region, waitMs) {
      if (freeIn(region) > 0) return Promise.resolve();
      if (room(region) <= 0) return null;
      const pool = poolOf(region);
      const waiters = waiting.get(pool) ?? new Set();
      waiting.set(pool, waiters);
      return new Promise((resolve) => {
        const timer = setTimeout(resume, waitMs);
        function resume(): void {
          clearTimeout(timer);
          waiters.delete(resume);
          if (waiters.size === 0) waiting.delete(pool);
          resolve();
        }
        waiters.add(resume);
      });
    },
    counted(lobbyId) {
      if (countedAfterMs === null) release(lobbyId);
    },
  };
}
