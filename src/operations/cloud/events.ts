import type { SharedEvents } from "../../engine/engine.ts";
import { tokenIdOf } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import type { Past } from "../live/event-feed.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { namespaceOf } from "./lookup.ts";

/** What happens in a namespace, told while it happens. */
export function namespaceEventOperations({ db, happenings, sharedEvents }: Context) {
  return {
    "games.namespaces.events": async ({ caller, params, lastEventId }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const { namespaceId } = namespace;
      const owner = { namespaceId, tokenId: tokenIdOf(caller) };
      const reader = sharedEvents
        ? await happenings.feed.openAfter(owner, () => pastOf(sharedEvents, namespaceId, lastEventId))
        : happenings.feed.open(owner, lastEventId);
      if (reader === null) {
        const message =
          "As many event streams are open as the service keeps up, or as this namespace or token has a share of. End one, or try again later.";
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

/** More than the engine remembers, so that nothing can be missing between these and what comes next. */
const eventsMax = 20_000;

async function pastOf(events: SharedEvents, namespaceId: string, lastEventId: string | undefined): Promise<Past> {
  const position = await events.position(namespaceId);
  if (lastEventId === undefined) return { position, events: [] };
  const isPosition = /^\d{1,15}-\d{1,15}$/.test(lastEventId);
  const missed = isPosition ? await events.eventsAfter(namespaceId, lastEventId, eventsMax) : null;
  return missed === null ? { position, events: null } : { position: lastEventId, events: missed };
}
