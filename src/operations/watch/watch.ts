import type { Client } from "../callers.ts";
import { refuseBlocked } from "../cloud/blocks.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import type { EventReader } from "../live/event-feed.ts";
import { checkListFilter } from "../matchmaking/lobby-list.ts";
import { namespaceGone } from "../matchmaking/seat-reply.ts";
import { isRefusal, refuse } from "../refusal.ts";

/** The public list of lobbies as a stream, for server browsers that stay open. */
export function watchOperations(context: Context) {
  const { configs, watching } = context;
  return {
    "lobbies.watch": async ({ caller: { namespaceId }, client, query }) => {
      const config = await configs.get(namespaceId);
      if (!config) return namespaceGone();
      const version = checkListFilter(config, query);
      if (isRefusal(version)) return version;
      const reader = await openInSlot(context, namespaceId, client, () =>
        watching.boards.open(namespaceId, { gameMode: query.game_mode ?? null, region: query.region ?? null }),
      );
      if (isRefusal(reader)) return reader;

      return {
        reader,
        async isOver() {
          const now = await configs.get(namespaceId);
          return now === null || refuseBlocked(now, client, context.now()) !== null;
        },
      };
    },
  } satisfies Partial<Handlers>;
}

/** A reader that holds a slot for watches until it is closed. */
export async function openInSlot(
  { watching }: Pick<Context, "watching">,
  namespaceId: string,
  client: Client,
  open: () => Promise<EventReader>,
) {
  const giveBack = watching.slots.take(namespaceId, client);
  if (giveBack === null) {
    const message =
      "This client, the namespace or the service has reached its maximum of lobby watches. Close one, or try again later.";
    return refuse("API_UNAVAILABLE", message, { retryAfterS: 10 });
  }
  try {
    const reader = await open();
    return {
      ...reader,
      close() {
        reader.close();
        giveBack();
      },
    };
  } catch (error) {
    giveBack();
    throw error;
  }
}
