import type { LobbyExit } from "./runtime.ts";

/** How the latest servers ended, and who wants to know about those that ended without being asked to. */
export interface Exits {
  /** How a server ended that ran recently; null: it still runs, or its end is not known. */
  last(lobbyId: string): LobbyExit | null;
  remember(lobbyId: string, exit: LobbyExit): void;
  onExit(listener: (lobbyId: string, exit: LobbyExit) => void): void;
  /** Calls the listeners. */
  report(lobbyId: string, exit: LobbyExit): void;
}

const exitsKeptMax = 1_000;

export function createExits(): Exits {
  const listeners: ((lobbyId: string, exit: LobbyExit) => void)[] = [];
  /** The latest exits, oldest first. */
  const exits = new Map<string, LobbyExit>();

  return {
    last: (lobbyId) => exits.get(lobbyId) ?? null,
    remember(lobbyId, exit) {
      exits.set(lobbyId, exit);
      for (const oldest of exits.keys()) {
        if (exits.size <= exitsKeptMax) return;
        exits.delete(oldest);
      }
    },
    onExit(listener) {
      listeners.push(listener);
    },
    report(lobbyId, exit) {
      for (const listener of listeners) listener(lobbyId, exit);
    },
  };
}
