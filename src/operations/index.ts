import { type Context, type Handlers, refuse } from "./context.ts";
import { gameOperations } from "./games.ts";
import { namespaceTokenOperations } from "./namespace-tokens.ts";
import { namespaceOperations } from "./namespaces.ts";
import { versionOperations } from "./versions.ts";

/** Every operation of the contract with what it does; one that is missing does not compile. */
export function createHandlers(context: Context): Handlers {
  return {
    ...gameOperations(context),
    ...namespaceOperations(context),
    ...namespaceTokenOperations(context),
    ...versionOperations(context),
    "lobbies.find": unavailable,
    "lobbies.join": unavailable,
    "lobbies.create": unavailable,
    "lobbies.list": unavailable,
    "lobbies.ready": unavailable,
    "lobbies.setClosed": unavailable,
    "lobbies.setState": unavailable,
    "lobbies.getState": unavailable,
    "lobbies.heartbeat": unavailable,
    "lobbies.stop": unavailable,
    "lobbies.register": unavailable,
    "players.connected": unavailable,
    "players.disconnected": unavailable,
    "players.getStatistics": unavailable,
    "regions.list": unavailable,
  };
}

async function unavailable() {
  return refuse("API_UNAVAILABLE", "This release has no matchmaker yet; development tokens get mock answers.", {
    retryAfterS: 60,
  });
}
