import type { Outcome, SetClosed } from "../commands.ts";
import { accept } from "../outcome.ts";
import { changeLobby, emitLobby, type State } from "../state.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

export function setClosed(state: State, command: SetClosed): Outcome<"setClosed"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  if (lobby.isClosed === command.isClosed) return accept({ isChanged: false });

  changeLobby(state, lobby, { isClosed: command.isClosed });
  emitLobby(state, command.isClosed ? "lobby.closed" : "lobby.opened", lobby);
  return accept({ isChanged: true });
}
