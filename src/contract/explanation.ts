import { named, uint32, uuid } from "./common.ts";
import { Type } from "./type.ts";

/** Why a find chose or refused what it did. */
export const explanation = named(
  "Explanation",
  {
    summary: Type.String({ description: "What find did, or why it did nothing, in a sentence." }),
    candidates: Type.Array(
      named("Candidate", {
        lobby_id: uuid("A lobby of a requested game mode and region."),
        game_mode_id: Type.String(),
        region_id: Type.String(),
        codes: Type.Array(Type.String(), {
          description:
            "`chosen`; for a lobby that fits: `less_full`, `newer`, `larger_id`, `not_ready`, `other_pair_first`, `client_limit`; for one that does not fit, every obstacle: `party_does_not_fit`, `full`, `missing_tags`, `closed`, `closed_by_operator`, `silent`, `other_version`; to operators also `private`.",
        }),
        message: Type.String({ description: "The same in words." }),
      }),
      { description: "At most 20: the chosen lobby, then the nearest misses first." },
    ),
    has_more: Type.Boolean({ description: "There are more candidates than are listed." }),
    private_count: uint32("Living private lobbies of the requested game modes and regions, which find never chooses."),
  },
  "Only with `explain`.",
);
