import type { Db } from "../../store/db.ts";
import type { Authenticate } from "./authenticate.ts";

/**
 * When several nodes write to one store, a request that starts after a change was answered must not use data that was
 * read before the change. Lobby tokens need no store.
 */
export function authenticateFreshly({ invalidation }: Db, authenticate: Authenticate): Authenticate {
  return (callers, credentials) => {
    if (isLobbyToken.test(credentials.authorization ?? "")) return authenticate(callers, credentials);
    return invalidation.check().then(() => authenticate(callers, credentials));
  };
}

const isLobbyToken = /^bearer +lobby_/i;
