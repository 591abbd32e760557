import type { Outcome, SetClosed, SetOperatorClosed } from "../commands.ts";
import { accept } from "../outcome.ts";
import { isOpen, type Lobby } from "../records.ts";
import { changeLobby, emitLobby, type LobbyPatch, type State } from "../state.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

/** The lobby's own flag. */
export function setClosed(state: State, command: SetClosed): Outcome<"setClosed"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  if (lobby.isClosed === command.isClosed) return accept({ isChanged: false });

  changeClosing(state, lobby, { isClosed: command.isClosed });
  return accept({ isChanged: true });
}

/** The operator's flag. One that is set keeps the reason for which it was set first. */
export function setOperatorClosed(state: State, command: SetOperatorClosed): Outcome<"setOperatorClosed"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  if ((lobby.operatorClose !== null) === command.isClosed) return accept({ isChanged: false });

  changeClosing(state, lobby, { operatorClose: command.isClosed ? "operator" : null });
  return accept({ isChanged: true });
}

/**
 * Publishes closing and opening only when they take effect: while the other flag is set, it publishes only a change.
 */
export function changeClosing(state: State, lobby: Lobby, patch: Pick<LobbyPatch, "isClosed" | "operatorClose">): void {
  const wasOpen = isOpen(lobby);
  changeLobby(state, lobby, patch);
  if (isOpen(lobby) === wasOpen) emitLobby(state, "lobby.changed", lobby);
  else emitLobby(state, wasOpen ? "lobby.closed" : "lobby.opened", lobby);
}
