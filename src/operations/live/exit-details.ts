import type { LobbyView } from "../../matchmaker/commands.ts";

/** How the lobby's process ended, if known. */
export interface ExitDetails {
  readonly code: number | null;
  readonly signal: string | null;
  readonly message?: string;
  /** Its last output; only for the operator. */
  readonly log?: string;
}

export function readExit(lobby: LobbyView | null): ExitDetails | null {
  // The supervisor wrote the text.
  return lobby === null || lobby.exit === null ? null : (JSON.parse(lobby.exit) as ExitDetails);
}
