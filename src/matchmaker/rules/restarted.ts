import type { Outcome, Restarted } from "../commands.ts";
import { accept } from "../outcome.ts";
import { compareIds, isLiving } from "../records.ts";
import { changeLobby, noteHeartbeat, type State } from "../state.ts";

/** The clocks have started anew already: this has to happen before anything that was due meanwhile is done. */
export function restarted(_state: State, _command: Restarted): Outcome<"restarted"> {
  return accept({});
}

export function restartHeartbeats(state: State, now: number): void {
  for (const lobby of [...state.lobbies.values()].sort(compareIds)) {
    if (!isLiving(lobby) || lobby.heartbeatMs === 0) continue;
    if (lobby.silentSince === null) noteHeartbeat(state, lobby, now);
    else changeLobby(state, lobby, { silentSince: now });
  }
}
