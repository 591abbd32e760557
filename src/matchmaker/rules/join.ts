import { noClient } from "../client-ranges.ts";
import type { Join, Outcome } from "../commands.ts";
import { refuse } from "../outcome.ts";
import { takenSeats } from "../records.ts";
import type { State } from "../state.ts";
import { assertNewPlayers, currentNamespace, refuseClient, refuseSeated, replay, seatParty } from "./party.ts";

/** By id or code: closed, private, silent and outdated lobbies take direct joins, and stay what they are. */
export function join(state: State, command: Join): Outcome<"join"> {
  const namespace = currentNamespace(state, command.revision);
  if (namespace === null) return refuse("STALE_REVISION");
  const earlier = replay(state, command.clientId, command.idempotency);
  if (earlier !== null) return earlier;
  const lobby = namedLobby(state, command);
  if (lobby === undefined) return refuse("LOBBY_NOT_FOUND");
  if (lobby.status === "stopped") return refuse("LOBBY_STOPPED");
  if (!lobby.isJoinable && command.clientId !== noClient) return refuse("JOIN_DISABLED");
  if (command.keys !== undefined && command.clientId !== noClient && !lobby.takesOpenKeys) {
    return refuse("KEY_NOT_VOUCHED");
  }
  const seated = refuseSeated(state, command.clientId, command.keys);
  if (seated !== null) return seated;
  const seats = command.playerIds.length;
  const clientRefusal = refuseClient(state, namespace, command.clientId, seats);
  if (clientRefusal !== null) return refuse(clientRefusal);
  const cap = Math.min(lobby.maxPlayersDirect, namespace.maxPlayers);
  if (takenSeats(lobby) + seats > cap) return refuse("LOBBY_FULL");
  assertNewPlayers(state, command);

  return seatParty(state, lobby, command, false);
}

/** The rules know codes as they were made: upper case, without spaces and hyphens. */
function namedLobby(state: State, { lobbyId, code = "" }: Join) {
  return lobbyId === null ? state.codes.get(code) : state.lobbies.get(lobbyId);
}
