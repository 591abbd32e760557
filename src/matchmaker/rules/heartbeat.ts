import type { Heartbeat, InsidePlayer, Outcome } from "../commands.ts";
import { accept } from "../outcome.ts";
import { compareIds, type Lobby, type Player } from "../records.ts";
import { showKey } from "../seat-keys.ts";
import { changeLobby, changePlayer, emitLobby, noteHeartbeat, type State } from "../state.ts";
import { endSeat } from "./end-seat.ts";
import { endHold, holdSeat } from "./hold-seat.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";
import { changeClosing } from "./set-closed.ts";

/**
 * The lobby's report corrects the engine's state: players that it does not name are removed, held players that it names
 * are back, and it may close itself. It never reopens and never adds a player.
 */
export function heartbeat(state: State, command: Heartbeat): Outcome<"heartbeat"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;

  if (lobby.isMute) changeLobby(state, lobby, { isMute: false });
  noteHeartbeat(state, lobby, state.now);
  if (lobby.silentSince !== null) {
    changeLobby(state, lobby, { silentSince: null });
    emitLobby(state, "lobby.changed", lobby);
  }
  if (command.isClosed === true && !lobby.isClosed) {
    changeClosing(state, lobby, { isClosed: true });
  }
  if (command.playerIds !== null) repairSeats(state, lobby, new Set(command.playerIds));
  return accept({
    players: playersInside(lobby).map(showInside),
    isClosed: lobby.isClosed,
    isClosedByOperator: lobby.operatorClose !== null,
    isOutdated: !lobby.pool.isDeployed,
    heartbeatMs: lobby.heartbeatMs,
    reconnectMs: lobby.reconnectMs,
  });
}

/**
 * Missing once may be a heartbeat that crossed with a connect; missing twice in a row means that the player has left. A
 * held player that is named has come back.
 */
function repairSeats(state: State, lobby: Lobby, present: ReadonlySet<string>): void {
  for (const player of playersInside(lobby)) {
    const isMissing = !present.has(player.id);
    if (player.status === "held") {
      if (!isMissing) endHold(state, player);
    } else if (isMissing && player.isMissing) {
      if (lobby.reconnectMs > 0) holdSeat(state, player);
      else endSeat(state, player, "left");
    } else if (isMissing !== player.isMissing) changePlayer(state, player, { isMissing });
  }
}

/** The players that have connected and may still play, by id. */
function playersInside(lobby: Lobby) {
  return lobby.players.filter(({ status }) => status === "connected" || status === "held").sort(compareIds);
}

function showInside(player: Player): InsidePlayer {
  return { playerId: player.id, isHeld: player.status === "held", ...showKey(player) };
}
