import type { Outcome, PlaceLobby } from "../commands.ts";
import { accept, refuse } from "../outcome.ts";
import { emitLobby, patchLobby, type State } from "../state.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

/**
 * The first assignment wins: two nodes that choose at the same time must not start two servers. The node that a lobby
 * was moved from no longer counts.
 */
export function placeLobby(state: State, command: PlaceLobby): Outcome<"placeLobby"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  if (lobby.nodeId === command.nodeId) return accept({ isChanged: false });
  const isMoved = lobby.nodeId !== null;
  const mayMove = lobby.nodeId === command.insteadOf && lobby.status === "starting";
  if (isMoved && !mayMove) return refuse("ALREADY_PLACED");

  patchLobby(state, lobby, { nodeId: command.nodeId, ...(isMoved && { ports: null, waitsFor: null }) });
  emitLobby(state, "lobby.changed", lobby);
  return accept({ isChanged: true });
}
