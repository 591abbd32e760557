import type { Refusal } from "../commands.ts";
import { refuse } from "../outcome.ts";
import type { Lobby } from "../records.ts";
import type { State } from "../state.ts";

/**
 * The lobby of a call, or a refusal: stopped lobbies have their own code for as long as they are kept. Those of a
 * removed namespace are unknown, though some of them are still to be ended.
 */
export function livingLobby(state: State, lobbyId: string): Lobby | Refusal {
  const lobby = state.lobbies.get(lobbyId);
  if (lobby === undefined || state.namespace?.removedAt != null) return refuse("LOBBY_NOT_FOUND");
  return lobby.status === "stopped" ? refuse("LOBBY_STOPPED") : lobby;
}

export function isRefusal(found: Lobby | Refusal): found is Refusal {
  return "ok" in found;
}
