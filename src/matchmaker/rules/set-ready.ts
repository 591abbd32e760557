import type { Outcome, SetReady } from "../commands.ts";
import { accept, refuse } from "../outcome.ts";
import { changeLobby, emitLobby, patchLobby, type State } from "../state.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

/** The first time, the clocks of reserved seats start: they are worked out from `readyAt`. */
export function setReady(state: State, command: SetReady): Outcome<"setReady"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  const isElsewhere = lobby.nodeId !== null && lobby.nodeId !== (command.nodeId ?? lobby.nodeId);
  if (isElsewhere) return refuse("ALREADY_PLACED");
  const { waitsFor } = command;
  if (lobby.status === "ready") return accept({ isChanged: false });
  if (waitsFor !== undefined) {
    if (lobby.waitsFor === waitsFor) return accept({ isChanged: false });
    patchLobby(state, lobby, { waitsFor });
    emitLobby(state, "lobby.changed", lobby);
    return accept({ isChanged: true });
  }
  changeLobby(state, lobby, { status: "ready", readyAt: state.now, waitsFor: null });
  emitLobby(state, "lobby.ready", lobby);
  return accept({ isChanged: true });
}
