import { named, nullable, object, timestamp, uint32 } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud, operators } from "./games.ts";
import { Type } from "./type.ts";

const unknownOfEarlier = "null: a node of an earlier Foyer, which does not say.";

/** The processes that serve an installation. */
export const nodes = {
  "nodes.list": {
    ...cloud,
    method: "GET",
    path: "/cloud/nodes",
    summary: "Lists the nodes of the installation that are up, by id.",
    details: "What a node says of itself is at most about a second old.",
    callers: operators,
    reply: object({
      nodes: Type.Array(
        named("Node", {
          node_id: Type.String(),
          version: nullable(Type.String({ description: `The Foyer that it runs; ${unknownOfEarlier}` })),
          start_ts: nullable(timestamp(`When it started; ${unknownOfEarlier}`)),
          regions: nullable(Type.Array(Type.String(), { description: "Whose lobbies it runs; null: all." })),
          lobby_processes: uint32("Lobby processes that it runs."),
          lobby_processes_max: uint32("Lobby processes that it may run."),
          has_lease: Type.Boolean({ description: "It does the work that one node does for all." }),
          clock_offset_ms: nullable(
            Type.Integer({
              description:
                "By how much its machine's clock is ahead of Redis'; null: not measured yet, or there is no Redis.",
            }),
          ),
          is_self: Type.Boolean({ description: "It gave this answer." }),
        }),
      ),
    }),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
