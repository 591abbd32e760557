import type { ConnectPlayer, Outcome } from "../commands.ts";
import { accept, refuse } from "../outcome.ts";
import { isTaken } from "../records.ts";
import { showKey } from "../seat-keys.ts";
import { changePlayer, emitPlayer, type State } from "../state.ts";
import { endHold } from "./hold-seat.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";

/** The caller has checked that the token is authentic, so an unknown player had a seat before. */
export function connectPlayer(state: State, command: ConnectPlayer): Outcome<"connectPlayer"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;
  const player = state.players.get(command.playerId);
  if (player === undefined) return refuse("PLAYER_REMOVED");
  if (player.lobbyId !== command.lobbyId) return refuse("PLAYER_IN_DIFFERENT_LOBBY");
  if (player.status === "connected") return refuse("PLAYER_ALREADY_CONNECTED");
  if (player.status === "expired") return refuse("PLAYER_RESERVATION_EXPIRED");
  if (!isTaken(player)) return refuse("PLAYER_REMOVED");

  const isReturn = player.status === "held";
  if (isReturn) endHold(state, player);
  else {
    changePlayer(state, player, { status: "connected", connectedAt: state.now });
    emitPlayer(state, "player.connected", player);
  }
  return accept({ isReturn, ...showKey(player) });
}
