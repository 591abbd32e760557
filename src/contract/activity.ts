import { named, object, record, timestamp } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud } from "./games.ts";
import { Type } from "./type.ts";

/** Written out rather than by `nullable`: the items of a list. */
const figures = (description: string) =>
  Type.Array(Type.Unsafe<number | null>({ type: ["integer", "null"] }), {
    description: `${description} One number per step; null: there is no figure.`,
  });

const noPoint = "The last step is the one that has begun.";

/** What happened in a namespace, in figures. */
export const activity = {
  "games.namespaces.getActivity": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/namespaces/{namespace_id}/activity",
    summary: "Returns figures of the last hours: calls, refusals, lobbies, players and waits.",
    details:
      "Each node keeps them in memory for 6 hours, for the 500 namespaces used last; a restart begins again. Counts are summed over all " +
      "nodes. A step before a namespace was counted has null, never 0.",
    query: object({
      window_s: Type.Optional(
        Type.Integer({ minimum: 60, maximum: 21_600, default: 3600, description: `How far back. ${noPoint}` }),
      ),
      step_s: Type.Optional(
        Type.Integer({
          minimum: 10,
          maximum: 21_600,
          description:
            "The length of a step, a multiple of 10; there are at most 720. Absent: long enough for at most 360.",
        }),
      ),
    }),
    reply: named("Activity", {
      step_s: Type.Integer(),
      start_ts: timestamp("When the first step began: a multiple of step_s."),
      is_partial: Type.Boolean({ description: "A node did not answer in 2 s, and its figures are missing." }),
      series: named("ActivitySeries", {
        finds: figures("Finds answered with seats."),
        joins: figures("Joins answered with seats."),
        creates: figures("Creates answered with seats."),
        lobbies_created: figures("Lobbies made by find, create, register or the warm pool."),
        lobbies_failed: figures(
          "Of those that ended: never ready, crashed, silent for too long, or their node was lost.",
        ),
        lobbies_stopped: figures("Lobbies that ended, for any reason."),
        lobbies: figures("Living lobbies."),
        players: figures("Taken seats."),
        ready_wait_p50_ms: figures("Half of the calls that waited for a lobby to become ready waited at most so long."),
        ready_wait_p95_ms: figures("The same of 95 %."),
        refusals: record(figures("Refused calls of find, join and create."), { description: "By code." }),
      }),
    }),
    errors: ["API_BAD_QUERY", "CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"],
  },
} as const satisfies Record<string, Operation>;
