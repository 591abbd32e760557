import { blockNoteMaxCharacters } from "../ground/limits.ts";
import { cursor, named, object, optional, pageQuery, timestamp } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud } from "./games.ts";
import { Type } from "./type.ts";

const blocksPath = "/cloud/games/{game_id}/namespaces/{namespace_id}/blocks";
const notFound = ["CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"] as const;

const client = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    "An address or a range: IPv4 /16 to /32, IPv6 /32 to /64. An IPv6 address means its /64, as for clients.",
});
const note = Type.String({ maxLength: blockNoteMaxCharacters, description: "A note for readers of the list." });

/** Clients that a namespace does not serve. */
export const blocks = {
  "games.namespaces.blocks.set": {
    ...cloud,
    method: "PUT",
    path: blocksPath,
    summary: "Blocks a client or a range of clients in a namespace, or replaces such a block.",
    details:
      "From the answer on, its calls with a public token or from a page are 403 MATCHMAKER_CLIENT_BLOCKED. `end_seats` " +
      "also ends its taken seats; lobbies see that in the answer to their next heartbeat. Server tokens and " +
      "lobbies are not clients. Behind a proxy, set `trusted_proxies` first: otherwise the proxy is the client.",
    body: object({
      client,
      until_ts: optional(timestamp("When the block ends by itself; absent or null: never.")),
      note: optional(note),
      end_seats: optional(Type.Boolean({ description: "Ends its taken seats too." })),
    }),
    reply: null,
    errors: [...notFound, "CLOUD_VALIDATION_ERROR", "CLOUD_QUOTA_REACHED"],
  },
  "games.namespaces.blocks.list": {
    ...cloud,
    method: "GET",
    path: blocksPath,
    summary: "Lists the blocks of a namespace that have not ended.",
    query: pageQuery,
    reply: object({
      blocks: Type.Array(
        named("Block", {
          client: Type.String({ description: "In the same form as in the operator's view of a lobby." }),
          create_ts: timestamp("When it was set."),
          until_ts: Type.Optional(timestamp("When it ends by itself.")),
          note: Type.Optional(note),
        }),
      ),
      cursor,
    }),
    errors: ["API_BAD_QUERY", ...notFound],
  },
  "games.namespaces.blocks.remove": {
    ...cloud,
    method: "DELETE",
    path: blocksPath,
    summary: "Removes the block of exactly this client or range, if there is one.",
    query: object({ client }),
    reply: null,
    errors: ["API_BAD_QUERY", ...notFound],
  },
} as const satisfies Record<string, Operation>;
