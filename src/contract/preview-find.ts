import { named, nullable, object, optional } from "./common.ts";
import type { Operation } from "./define.ts";
import { explanation } from "./explanation.ts";
import { cloud } from "./games.ts";
import { previewedLobby } from "./join-answer.ts";
import { findFields } from "./lobbies.ts";
import { Type } from "./type.ts";

/** What a player's find would do, for operators. */
export const previewFind = {
  "games.namespaces.lobbies.previewFind": {
    ...cloud,
    isCheck: true,
    method: "POST",
    path: "/cloud/games/{game_id}/namespaces/{namespace_id}/lobbies/preview-find",
    summary: "Answers what a player's find would do now, and why: it takes no seat and creates no lobby.",
    details:
      "What a find would be refused with is in `refusal`, and the status is 200. Rate limits, budgets and blocks do not apply. " +
      "Private lobbies, which find never chooses, are named with the code `private`.",
    body: object({
      ...findFields,
      client: optional(
        object(
          {
            address: optional(
              Type.String({
                minLength: 1,
                maxLength: 64,
                description: "Counts for max_players_per_client only. Absent: a client that has no seat.",
              }),
            ),
            coordinates: optional(
              object({
                latitude: Type.Number({ minimum: -90, maximum: 90 }),
                longitude: Type.Number({ minimum: -180, maximum: 180 }),
              }),
            ),
          },
          "The player's machine.",
        ),
      ),
    }),
    reply: named("FindPreview", {
      lobby: previewedLobby,
      would_create: Type.Boolean({ description: "No lobby fits, and find would create one." }),
      refusal: nullable(object({ code: Type.String(), message: Type.String() }, "What find would be refused with.")),
      explain: explanation,
    }),
    errors: ["API_BAD_BODY", "CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"],
  },
} as const satisfies Record<string, Operation>;
