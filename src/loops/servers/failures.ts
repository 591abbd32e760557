import type { LobbyView } from "../../matchmaker/commands.ts";
import { readLobbyEnd } from "../lobby-end.ts";
import type { SuperviseParts } from "./parts.ts";

/** Reports successes and failures of lobbies to the start gate, which delays a game mode whose lobbies keep failing. */
export interface Failures {
  /** `why`: what happened to the lobby, as the end of a sentence about it. */
  note(lobby: LobbyView, why: string): void;
  /** A lobby stopped that another node ran, or that no node had a slot for. */
  noteElsewhere(lobby: LobbyView): void;
}

export function createFailures({ gate, log, now }: SuperviseParts): Failures {
  function note(lobby: LobbyView, why: string): void {
    const held = gate.failed(lobby, why, now());
    if (!held) return;
    const { consecutiveFailures, retryAfterS } = held;
    const which = { version_id: lobby.versionId, game_mode_id: lobby.gameMode };
    log.error(
      { ...which, failures: consecutiveFailures, wait_s: retryAfterS },
      "lobbies of a game mode keep failing; Foyer starts no other one until the delay is over",
    );
  }

  return {
    note,
    noteElsewhere(lobby) {
      const end = readLobbyEnd(lobby);
      if (end?.isNoFault) gate.ended(lobby);
      else note(lobby, end?.message ?? "it could not be started.");
    },
  };
}
