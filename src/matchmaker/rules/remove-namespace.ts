import type { Outcome, RemoveNamespace } from "../commands.ts";
import { orderedFrom } from "../ordered-set.ts";
import { accept, refuse } from "../outcome.ts";
import { isLiving, type Lobby, type NamespaceRecord } from "../records.ts";
import { putNamespace, removeKey, removeLobby, removePlayer, type State } from "../state.ts";
import { endLobby } from "./stop-lobby.ts";

/** Of one step, so that other calls need not wait for the removal of very many lobbies. */
const [lobbiesMax, seatsMax, recordsMax] = [200, 1_000, 2_000];

/**
 * Removes as much as one step may; the engine repeats the command until nothing is left. From the first step on the
 * namespace counts as removed. Its configuration is remembered as removed for a while, so that a late `configure` does
 * not bring it back.
 */
export function removeNamespace(state: State, command: RemoveNamespace): Outcome<"removeNamespace"> {
  if (!command.force && state.startingCount + state.readyCount > 0) return refuse("NAMESPACE_NOT_EMPTY");

  if (state.namespace?.removedAt == null) putNamespace(state, { ...(state.namespace ?? blank), removedAt: state.now });
  if (command.onlyMark !== true && removeLobbies(state)) removeRecords(state);
  return accept({});
}

/** False: some are left. */
function removeLobbies(state: State): boolean {
  const lobbies: Lobby[] = [];
  let seats = 0;
  for (const lobby of orderedFrom(state.lobbiesById, () => false)) {
    if (lobbies.length === lobbiesMax || seats >= seatsMax) break;
    lobbies.push(lobby);
    seats += lobby.players.length;
  }
  for (const lobby of lobbies) {
    if (isLiving(lobby)) endLobby(state, lobby, "namespace_removed", null);
    removeLobby(state, lobby);
  }
  return state.lobbies.size === 0;
}

/** What is left are seats that have ended and keys. */
function removeRecords(state: State): void {
  let left = recordsMax;
  for (const key of state.keys.values()) if (left-- > 0) removeKey(state, key);
  for (const player of state.players.values()) if (left-- > 0) removePlayer(state, player);
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
