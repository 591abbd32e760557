import { isRetired } from "../deadlines.ts";
import { orderedFrom } from "../ordered-set.ts";
import { isLiving } from "../records.ts";
import { constants } from "../schema.ts";
import { isRetiring, retimeLobby, type State } from "../state.ts";
import { endLobby } from "./stop-lobby.ts";

const { lobbiesPerStepMax, retiredPerStepMax } = constants;

/**
 * After a deploy, one step over the lobbies that Foyer runs: empty ones of another version end, and the deadlines of the
 * others follow what is deployed now. Lobbies that register themselves never end for this, so they are passed over. Until
 * it is through, lobbies that no step has reached keep their deadlines from before; find already ignores them.
 */
export function retireLobbies(state: State): void {
  const { retiredTo } = state;
  if (retiredTo === null || !isRetiring(state)) return;
  let [looked, ended, last] = [0, 0, ""];
  // Neither a lobby that ends nor one that is due leaves this set.
  for (const lobby of orderedFrom(state.lobbiesById, ({ id }) => id <= retiredTo)) {
    if (looked === lobbiesPerStepMax || ended === retiredPerStepMax) {
      state.retiredTo = last;
      return;
    }
    looked += 1;
    last = lobby.id;
    if (lobby.isExternal || !isLiving(lobby)) continue;
    if (!isRetired(lobby)) retimeLobby(state, lobby);
    else {
      endLobby(state, lobby, "outdated", null);
      ended += 1;
    }
  }
  state.retiredTo = null;
}
