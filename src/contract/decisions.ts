import { pageSizeDefault, pageSizeMax } from "../ground/limits.ts";
import { cursor, named, object, record, timestamp, uint32, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { explanation } from "./explanation.ts";
import { cloud } from "./games.ts";
import { Type } from "./type.ts";

const decision = named("Decision", {
  decision_id: uuid("The decision."),
  at: timestamp("When the call was answered; of equal refusals, the first of them."),
  operation: Type.Enum(["find", "join", "create"]),
  asked: named(
    "DecisionAsked",
    {
      game_modes: Type.Optional(Type.Array(Type.String())),
      regions: Type.Optional(Type.Array(Type.String())),
      tags: Type.Optional(record(Type.String())),
      seats: uint32("How many seats."),
      max_players: Type.Optional(Type.Integer()),
      version: Type.Optional(Type.String()),
      lobby_id: Type.Optional(Type.String({ description: "Of a join by id." })),
    },
    "What the call asked for. Long texts are cut.",
  ),
  outcome: Type.String({ description: "`CREATED`, or the code of the refusal." }),
  count: uint32("How many equal refusals within a second this stands for."),
  lobby_id: Type.Optional(uuid("The lobby that was made, or that the call waited for.")),
  waited_ms: uint32("How long the call took."),
  explain: Type.Optional(explanation),
});

/** Why calls were refused. */
export const decisions = {
  "games.namespaces.listDecisions": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/namespaces/{namespace_id}/decisions",
    summary: "Lists the latest calls of find, join and create that were refused or made a lobby, newest first.",
    details:
      "Calls refused with a MATCHMAKER_ code after admission, or for the creation budget (`API_RATE_LIMIT`), and those that made a " +
      "lobby (`CREATED`). `explain` is what the player would have been shown at that moment; at most 20 refusals a second " +
      "have one. Each node keeps the last 200 of the 100 namespaces used last, in memory. There is never an address, key, token or lobby_config.",
    query: object({
      outcome: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Only this outcome." })),
      game_mode: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "Only calls that asked for it." }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault })),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    }),
    reply: named("DecisionList", {
      decisions: Type.Array(decision),
      is_partial: Type.Boolean({ description: "A node did not answer in 2 s, and its decisions are missing." }),
      cursor,
    }),
    errors: ["API_BAD_QUERY", "CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"],
  },
} as const satisfies Record<string, Operation>;
