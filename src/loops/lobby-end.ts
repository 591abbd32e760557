import type { LobbyView } from "../matchmaker/commands.ts";
import type { LobbyExit } from "../runtime/runtime.ts";

/** How a lobby's server ended, as stored in the lobby's `exit`. */
export interface LobbyEnd extends LobbyExit {
  readonly message: string;
  /** What it wrote last. */
  readonly log: string;
  /**
   * The server was not started, for a reason that is not its version's: no free slot, or an error of something else.
   */
  readonly isNoFault?: boolean;
}

/** Null: the lobby has no `exit`. */
export function readLobbyEnd(lobby: LobbyView): Partial<LobbyEnd> | null {
  // A node wrote the text, perhaps one of an earlier version.
  return lobby.exit === null ? null : (JSON.parse(lobby.exit) as Partial<LobbyEnd>);
}

/** The `exit` of a lobby whose server was never seen. */
export function writeUnseenEnd(message: string, more: { readonly isNoFault?: boolean } = {}): string {
  return JSON.stringify({ code: null, signal: null, message, log: "", ...more } satisfies LobbyEnd);
}
