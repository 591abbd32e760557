import type { Heartbeat, Outcome } from "../commands.ts";
import { accept } from "../outcome.ts";
import { compareIds, type Lobby } from "../records.ts";
import { changeLobby, changePlayer, emitLobby, noteHeartbeat, type State } from "../state.ts";
import { endSeat } from "./end-seat.ts";
import { isRefusal, livingLobby } from "./living-lobby.ts";
import { changeClosing } from "./set-closed.ts";

/** The lobby's own truth repairs ours: ghosts go, a close is heard. It never reopens and never adds a player. */
export function heartbeat(state: State, command: Heartbeat): Outcome<"heartbeat"> {
  const lobby = livingLobby(state, command.lobbyId);
  if (isRefusal(lobby)) return lobby;

  noteHeartbeat(state, lobby, state.now);
  if (lobby.silentSince !== null) {
    changeLobby(state, lobby, { silentSince: null });
    emitLobby(state, "lobby.changed", lobby);
  }
  if (command.isClosed === true && !lobby.isClosed) {
    changeClosing(state, lobby, { isClosed: true });
  }
  if (command.playerIds !== null) freeMissing(state, lobby, new Set(command.playerIds));
  const playerIds = connectedPlayers(lobby).map((player) => player.id);
  return accept({
    playerIds,
    isClosed: lobby.isClosed,
    isClosedByOperator: lobby.operatorClose !== null,
    isOutdated: !lobby.pool.isDeployed,
  });
}

/** Missing once may be a heartbeat that crossed with a connect; missing twice in a row is gone. */
function freeMissing(state: State, lobby: Lobby, present: ReadonlySet<string>): void {
  for (const player of connectedPlayers(lobby)) {
    const isMissing = !present.has(player.id);
    if (isMissing && player.isMissing) endSeat(state, player, "left");
    else if (isMissing !== player.isMissing) changePlayer(state, player, { isMissing });
  }
}

function connectedPlayers(lobby: Lobby) {
  return lobby.players.filter((player) => player.status === "connected").sort(compareIds);
}
