import type { Outcome, RemoveNamespace } from "../commands.ts";
import { accept, refuse } from "../outcome.ts";
import { compareIds, isLiving, type NamespaceRecord } from "../records.ts";
import { putNamespace, removeKey, removeLobby, removePlayer, type State } from "../state.ts";
import { endLobby } from "./stop-lobby.ts";

/** Its configuration is remembered as removed for a while, so that a late `configure` does not bring it back. */
export function removeNamespace(state: State, command: RemoveNamespace): Outcome<"removeNamespace"> {
  if (!command.force && state.startingCount + state.readyCount > 0) return refuse("NAMESPACE_NOT_EMPTY");

  for (const lobby of [...state.lobbies.values()].sort(compareIds)) {
    if (isLiving(lobby)) endLobby(state, lobby, "namespace_removed", null);
  }
  for (const key of [...state.keys.values()]) removeKey(state, key);
  for (const player of [...state.players.values()]) removePlayer(state, player);
  for (const lobby of [...state.lobbies.values()]) removeLobby(state, lobby);
  if (state.namespace?.removedAt == null) putNamespace(state, { ...(state.namespace ?? blank), removedAt: state.now });
  return accept({});
}

const blank: NamespaceRecord = {
  revision: 0,
  lobbyCountMax: 0,
  maxPlayers: 0,
  maxPlayersPerClient: null,
  deployedVersionId: null,
  idleMinimums: new Map(),
  removedAt: null,
};
