import type { Outcome, StopLobby, StopReason } from "../commands.ts";
import { accept } from "../outcome.ts";
import { compareIds, type Lobby } from "../records.ts";
import { changeLobby, emitLobby, type State } from "../state.ts";
import { endSeat } from "./end-seat.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

export function stopLobby(state: State, command: StopLobby): Outcome<"stopLobby"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;

  endLobby(state, lobby, command.reason, command.exit);
  return accept({});
}

/** Its seats end with it. */
export function endLobby(state: State, lobby: Lobby, stopReason: StopReason, exit: string | null): void {
  changeLobby(state, lobby, { status: "stopped", stoppedAt: state.now, stopReason, exit });
  for (const player of lobby.players.slice().sort(compareIds)) endSeat(state, player, "ended");
  emitLobby(state, "lobby.stopped", lobby);
}
