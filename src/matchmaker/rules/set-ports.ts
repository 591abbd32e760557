import type { Outcome, SetPorts } from "../commands.ts";
import { accept, refuse } from "../outcome.ts";
import { emitLobby, patchLobby, type State } from "../state.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

export function setPorts(state: State, command: SetPorts): Outcome<"setPorts"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  const isElsewhere = lobby.nodeId !== null && lobby.nodeId !== (command.nodeId ?? lobby.nodeId);
  if (isElsewhere) return refuse("ALREADY_PLACED");

  patchLobby(state, lobby, { ports: command.ports });
  emitLobby(state, "lobby.changed", lobby);
  return accept({});
}
