import { bodyMaxBytes, watchedLobbiesMax } from "../ground/limits.ts";
import { named, object, record, uint32, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { Type } from "./type.ts";

/** A lobby as players see it, in lists and watches. */
export const listedLobby = named("Lobby", {
  lobby_id: uuid("The lobby."),
  game_mode_id: Type.String(),
  region_id: Type.String(),
  max_players_normal: uint32("Up to how many players find fills it."),
  max_players_direct: uint32("Up to how many players join fills it."),
  max_players_party: uint32("The same as max_players_normal."),
  total_player_count: uint32("Seats taken."),
  is_closed: Type.Boolean(),
  tags: record(Type.String()),
  state: Type.Optional(Type.Unknown({ description: "The lobby's state, with `include_state`." })),
});

const listed = Type.Array(listedLobby);

export const lobbyWatch = {
  "lobbies.watch": {
    callers: ["pub", "origin", "dev"],
    rate: "list",
    method: "GET",
    path: "/matchmaker/lobbies/watch",
    summary: "Streams the public list of lobbies: first all of it, then what changes.",
    details:
      "The first event is `snapshot`. Then at most once a second there is one each of `removed`, `added` and `changed`, " +
      "with everything since the last. Silent lobbies are removed; a deploy removes and adds. After a reconnect the stream " +
      "begins with a new snapshot. Browsers without a token can use EventSource (domain public auth), others fetch.",
    query: object({
      game_mode: Type.Optional(Type.String({ description: "Only lobbies of this game mode." })),
      region: Type.Optional(Type.String({ description: "Only lobbies of this region." })),
    }),
    body: null,
    bodyOptional: false,
    bodyMaxBytes,
    reply: null,
    stream: {
      snapshot: named(
        "LobbiesSnapshotEvent",
        {
          event: Type.Literal("snapshot"),
          lobbies: listed,
          is_truncated: Type.Boolean({ description: `There are more than the ${watchedLobbiesMax} that are shown.` }),
        },
        "What `list` shows, without states, in the same order.",
      ),
      removed: named("LobbiesRemovedEvent", {
        event: Type.Literal("removed"),
        lobby_ids: Type.Array(uuid("The lobby.")),
      }),
      added: named("LobbiesAddedEvent", { event: Type.Literal("added"), lobbies: listed }),
      changed: named("LobbiesChangedEvent", { event: Type.Literal("changed"), lobbies: listed }),
    },
    errors: [
      "API_BAD_QUERY",
      "MATCHMAKER_NO_VERSION_DEPLOYED",
      "MATCHMAKER_GAME_MODE_NOT_FOUND",
      "MATCHMAKER_REGION_NOT_FOUND",
      "API_UNAVAILABLE",
    ],
  },
} as const satisfies Record<string, Operation>;
