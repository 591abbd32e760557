import { cursor, named, nullable, object, pageQuery, stopReasons, timestamp, uint32, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud } from "./games.ts";
import { Type } from "./type.ts";

const namespacePath = "/cloud/games/{game_id}/namespaces/{namespace_id}";
const notFound = ["CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"] as const;

const exit = {
  stop_reason: Type.String({ description: `${stopReasons}, as in the list of lobbies.` }),
  exit_code: nullable(
    Type.Integer({
      description: "Of its process. Null: it has not ended, a signal ended it, or how it ended is unknown.",
    }),
  ),
  exit_signal: nullable(Type.String({ description: "The signal that ended its process, if one did." })),
  exit_message: nullable(
    Type.String({ description: "Why it stopped, in words; exit_code and exit_signal say how its process ended." }),
  ),
};

const pastLobby = named("PastLobby", {
  lobby_id: uuid("The lobby."),
  game_mode_id: Type.String(),
  region_id: Type.String(),
  version_id: uuid("The version it ran."),
  version_display_name: nullable(
    Type.String({ description: "Of that version. Null: it was deleted so long ago that its name is forgotten." }),
  ),
  is_version_deleted: Type.Boolean({ description: "The version was deleted; only its id and name are kept." }),
  create_ts: timestamp("When it was created."),
  ready_ts: nullable(timestamp("When it became ready; null: it never was.")),
  stop_ts: timestamp("When it stopped."),
  stop_reason: exit.stop_reason,
  peak_player_count: uint32("The most seats that were taken at the same time."),
  exit_code: exit.exit_code,
  exit_signal: exit.exit_signal,
  exit_message: exit.exit_message,
});

/** Logs and history of lobbies, which may have ended. */
export const lobbyRecords = {
  "games.namespaces.lobbies.getLogs": {
    ...cloud,
    method: "GET",
    path: `${namespacePath}/lobbies/{lobby_id}/logs`,
    summary:
      "Returns the last 256 KiB of a lobby's log, also for a while after it has ended. With `follow`, streams these and later lines.",
    query: object({
      stream: Type.Optional(Type.Enum(["stdout", "stderr"], { default: "stdout" })),
      follow: Type.Optional(Type.Boolean({ description: "Answer with server-sent events until the lobby has ended." })),
    }),
    reply: object({
      stream: Type.Enum(["stdout", "stderr"]),
      text: Type.String({ description: "Tokens are removed. Empty for lobbies that Foyer does not run." }),
      is_truncated: Type.Boolean({ description: "The log has more before this text." }),
    }),
    stream: {
      line: named("LogLineEvent", {
        event: Type.Literal("line"),
        text: Type.String({ description: "Without its line break; tokens are removed." }),
        is_cut: Type.Optional(
          Type.Boolean({ description: "The line is longer than 16 KiB and continues in the next event." }),
        ),
      }),
      reset: named(
        "LogResetEvent",
        { event: Type.Literal("reset") },
        "The next lines are no longer kept, because the log was rotated. The stream continues with the newest part.",
      ),
      end: named(
        "LogEndEvent",
        { event: Type.Literal("end"), ...exit },
        "The lobby has ended and the whole log was sent.",
      ),
    },
    streamWhen: "follow",
    errors: ["API_BAD_QUERY", ...notFound, "CLOUD_LOBBY_NOT_FOUND", "API_UNAVAILABLE"],
  },
  "games.namespaces.lobbies.history": {
    ...cloud,
    method: "GET",
    path: `${namespacePath}/lobby-history`,
    summary: "Lists the stopped lobbies of a namespace, newest first; with `Accept: text/csv` as CSV.",
    query: pageQuery,
    reply: object({ lobbies: Type.Array(pastLobby), cursor }),
    csvField: "lobbies",
    errors: ["API_BAD_QUERY", ...notFound],
  },
} as const satisfies Record<string, Operation>;
