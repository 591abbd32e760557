import type { Outcome, SetReady } from "../commands.ts";
import { accept } from "../outcome.ts";
import { changeLobby, emitLobby, type State } from "../state.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

/** The first time, the clocks of reserved seats start: they are worked out from `readyAt`. */
export function setReady(state: State, command: SetReady): Outcome<"setReady"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  if (lobby.status === "ready") return accept({ isChanged: false });

  changeLobby(state, lobby, { status: "ready", readyAt: state.now });
  emitLobby(state, "lobby.ready", lobby);
  return accept({ isChanged: true });
}
