import { type Context, type Handlers, isRefusal, refuse } from "./context.ts";
import { namespaceOf } from "./resources.ts";

/** What happens in a namespace, told while it happens. */
export function namespaceEventOperations({ db, happenings }: Context) {
  return {
    "games.namespaces.events": async ({ params, lastEventId }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const { namespaceId } = namespace;
      const reader = happenings.feed.open(namespaceId, lastEventId);
      if (reader === null) {
        const message = "As many event streams are open as the service keeps up. End one, or try again later.";
        return refuse("API_UNAVAILABLE", message, { retryAfterS: 10 });
      }
      return {
        reader,
        async isOver() {
          const found = await namespaceOf(db, params);
          return isRefusal(found) || found.namespaceId !== namespaceId;
        },
      };
    },
  } satisfies Partial<Handlers>;
}
