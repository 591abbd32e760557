import type { LobbyView } from "../../matchmaker/commands.ts";

/** How the lobby's process ended, as far as anybody knows. */
export interface ExitDetails {
  readonly code: number | null;
  readonly signal: string | null;
  readonly message?: string;
  /** What it wrote last; for the operator alone. */
  readonly log?: string;
}

export function exitOf(lobby: LobbyView | null): ExitDetails | null {
  // Border: the text was written by the supervisor.
  return lobby === null || lobby.exit === null ? null : (JSON.parse(lobby.exit) as ExitDetails);
}
