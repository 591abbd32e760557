import type { CloseRegistered, Outcome } from "../commands.ts";
import { orderedFrom } from "../ordered-set.ts";
import { accept } from "../outcome.ts";
import { isLiving, type Lobby } from "../records.ts";
import { constants } from "../schema.ts";
import type { State } from "../state.ts";
import { changeClosing } from "./set-closed.ts";
import { endLobby } from "./stop-lobby.ts";

const lobbiesMax = constants.lobbiesPerStepMax;

/** Of the lobbies after a place, those that a server token registered are closed or stopped. */
export function closeRegistered(state: State, command: CloseRegistered): Outcome<"closeRegistered"> {
  const { after, action, tokenId } = command;
  const lobbies: Lobby[] = [];
  for (const lobby of orderedFrom(state.lobbiesById, (other) => after !== null && other.id <= after)) {
    lobbies.push(lobby);
    if (lobbies.length === lobbiesMax) break;
  }
  for (const lobby of lobbies) {
    if (!isLiving(lobby) || lobby.createReason !== "registered" || lobby.createdBy !== tokenId) continue;
    if (action === "stop") endLobby(state, lobby, "operator", null);
    else if (lobby.operatorClose === null) changeClosing(state, lobby, { operatorClose: "token_revoked" });
  }
  return accept({ next: lobbies.length === lobbiesMax ? lobbies.at(-1)!.id : null });
}
