import type { LobbyView } from "../matchmaker/commands.ts";
import type { LobbyExit } from "../runtime/runtime.ts";

/** How a lobby's server ended, as the lobby carries it in its `exit`. */
export interface LobbyEnd extends LobbyExit {
  readonly message: string;
  /** What it wrote last. */
  readonly log: string;
  /** It was not started, and that says nothing about its version: there was no room, or others have failed. */
  readonly isNoFault?: boolean;
}

/** Null: the lobby does not carry how its server ended. */
export function readLobbyEnd(lobby: LobbyView): Partial<LobbyEnd> | null {
  // A loop of some node wrote the text, perhaps one of an earlier version.
  return lobby.exit === null ? null : (JSON.parse(lobby.exit) as Partial<LobbyEnd>);
}

/** The `exit` of a lobby whose server was never seen. */
export function writeUnseenEnd(message: string, more: { readonly isNoFault?: boolean } = {}): string {
  return JSON.stringify({ code: null, signal: null, message, log: "", ...more } satisfies LobbyEnd);
}
