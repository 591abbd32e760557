import type { DisconnectPlayer, Outcome } from "../commands.ts";
import { accept, refuse } from "../outcome.ts";
import { isTaken } from "../records.ts";
import type { State } from "../state.ts";
import { endSeat } from "./end-seat.ts";
import { holdSeat } from "./hold-seat.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

/** Frees the seat once, or holds it if its player may return; a seat that has ended already stays as it ended. */
export function disconnectPlayer(state: State, command: DisconnectPlayer): Outcome<"disconnectPlayer"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  const player = state.players.get(command.playerId);
  if (player === undefined) return refuse("PLAYER_REMOVED");
  if (player.lobbyId !== command.lobbyId) return refuse("PLAYER_IN_DIFFERENT_LOBBY");
  if (!isTaken(player)) return accept({ isChanged: false });
  const mayReturn = command.mayReturn && lobby.reconnectMs > 0;
  if (mayReturn && player.status !== "connected") return accept({ isChanged: false });

  if (mayReturn) holdSeat(state, player);
  else endSeat(state, player, "left");
  return accept({ isChanged: true });
}
