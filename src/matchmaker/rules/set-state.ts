import type { Outcome, SetState } from "../commands.ts";
import { accept } from "../outcome.ts";
import { emitLobby, patchLobby, type State } from "../state.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

export function setState(state: State, command: SetState): Outcome<"setState"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;

  patchLobby(state, lobby, { state: command.state });
  emitLobby(state, "lobby.changed", lobby);
  return accept({});
}
