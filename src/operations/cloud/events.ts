import { getTokenId } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { lookUpNamespace } from "./lookup.ts";

/** The live events of a namespace. */
export function namespaceEventOperations({ db, liveEvents }: Context) {
  return {
    "games.namespaces.events": async ({ caller, params, lastEventId }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const { namespaceId } = namespace;
      const owner = { namespaceId, tokenId: getTokenId(caller) };
      const reader = await liveEvents.feed.open(owner, lastEventId);
      if (reader === null) {
        const message =
          "The service has reached its maximum of event streams, or this namespace or token its share. Close one, or try again later.";
        return refuse("API_UNAVAILABLE", message, { retryAfterS: 10 });
      }
      return {
        reader,
        async isOver() {
          const found = await lookUpNamespace(db, params);
          return isRefusal(found) || found.namespaceId !== namespaceId;
        },
      };
    },
  } satisfies Partial<Handlers>;
}
