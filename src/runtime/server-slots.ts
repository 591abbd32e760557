import type { Holdings } from "../ground/shares.ts";

/** Which lobbies have a server on this machine or are about to get one, and for which namespaces they count. */
export interface ServerSlots {
  /** The lobby counts from now on, although it has no server yet. */
  addStarting(lobbyId: string, namespaceId: string): void;
  /** The lobby has a server now, or does not count. */
  removeStarting(lobbyId: string): void;
  add(lobbyId: string): void;
  remove(lobbyId: string): void;
  /** Sets the namespace of a server. For a server of an earlier service it is known when the server is adopted. */
  claim(lobbyId: string, namespaceId: string): void;
  isRunning(lobbyId: string): boolean;
  /** The lobbies that have a server. */
  running(): Iterable<string>;
  /** How many servers run or are about to start. */
  count(): number;
}

/** `holdings` counts the servers of each namespace. */
export function createServerSlots(holdings: Holdings, now: () => number): ServerSlots {
  /** A lobby is in one of these two, never in both, so that it counts once. */
  const running = new Set<string>();
  const starting = new Set<string>();
  const namespaceIds = new Map<string, string>();

  const isRunning = (lobbyId: string) => running.has(lobbyId) || starting.has(lobbyId);

  function claim(lobbyId: string, namespaceId: string): void {
    if (namespaceIds.has(lobbyId)) return;
    namespaceIds.set(lobbyId, namespaceId);
    holdings.add(namespaceId, now());
  }

  function unclaim(lobbyId: string): void {
    const namespaceId = namespaceIds.get(lobbyId);
    if (namespaceId === undefined || isRunning(lobbyId)) return;
    namespaceIds.delete(lobbyId);
    holdings.remove(namespaceId, now());
  }

  return {
    addStarting(lobbyId, namespaceId) {
      starting.add(lobbyId);
      claim(lobbyId, namespaceId);
    },
    removeStarting(lobbyId) {
      starting.delete(lobbyId);
      unclaim(lobbyId);
    },
    add(lobbyId) {
      starting.delete(lobbyId);
      running.add(lobbyId);
    },
    remove(lobbyId) {
      running.delete(lobbyId);
      unclaim(lobbyId);
    },
    claim,
    isRunning,
    running: () => running,
    count: () => running.size + starting.size,
  };
}
