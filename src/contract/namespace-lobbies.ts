import {
  cursor,
  keyShown,
  named,
  nullable,
  object,
  pageQuery,
  playerKey,
  record,
  stopReasons,
  timestamp,
  uint32,
  uuid,
} from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud } from "./games.ts";
import { portsOut } from "./join-answer.ts";
import { Type } from "./type.ts";

const lobbiesPath = "/cloud/games/{game_id}/namespaces/{namespace_id}/lobbies";
const notFound = ["CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"] as const;

const lobbyFields = {
  lobby_id: uuid("The lobby."),
  game_mode_id: Type.String(),
  region_id: Type.String(),
  version_id: uuid("The version it runs."),
  status: Type.Enum(["starting", "ready", "stopped"]),
  publicity: Type.Enum(["public", "private"]),
  runtime: Type.Enum(["process", "docker", "external"]),
  is_closed: Type.Boolean({ description: "Find avoids it: the lobby's own flag or the operator's is set." }),
  closed_by: Type.Array(Type.Enum(["lobby", "operator", "token_revoked"]), {
    description:
      "Who closed it: `lobby` by itself; `operator` by games.namespaces.lobbies.setClosed; `token_revoked` with the server token that registered it. Empty while it is open.",
  }),
  is_silent: Type.Boolean({ description: "It has missed its heartbeats; find avoids it." }),
  is_outdated: Type.Boolean({ description: "Another version is deployed; find avoids it." }),
  max_players_normal: uint32("Up to how many players find fills it."),
  max_players_direct: uint32("Up to how many players join fills it."),
  reserved_count: uint32("Seats that are reserved and not yet connected."),
  connected_count: uint32("Players connected."),
  held_count: uint32("Seats of dropped players that may come back."),
  total_player_count: uint32("Seats taken: reserved, connected and held."),
  tags: record(Type.String()),
  code: nullable(Type.String({ description: "What players can join it by; null: its game mode has no codes." })),
  ports: portsOut,
  node_id: nullable(
    Type.String({
      description:
        "The node that runs or ran its process. Null: Foyer does not run it, no node has accepted it yet, or this node is the only one.",
    }),
  ),
  registered_by: nullable(uuid("The server token that registered it. Null: Foyer runs it, or the token is unknown.")),
  create_ts: timestamp("When it was created."),
  ready_ts: nullable(timestamp("When it became ready.")),
  heartbeat_ts: nullable(
    timestamp(
      "When it last sent a heartbeat, or since when Foyer waits for one: these clocks start again when the service does.",
    ),
  ),
  empty_since_ts: nullable(timestamp("Since when no seat is taken.")),
  stop_ts: nullable(timestamp("When it stopped.")),
  stop_reason: nullable(Type.String({ description: `${stopReasons}; null while it lives.` })),
  exit_code: nullable(Type.Integer({ description: "Of the lobby's process, if it has ended and the code is known." })),
  exit_signal: nullable(Type.String({ description: "The signal that ended the lobby's process, if one did." })),
  exit_message: nullable(
    Type.String({ description: "Why it stopped, in words; exit_code and exit_signal say how its process ended." }),
  ),
};

/** A lobby as the operator sees it, without its players. */
export const operatorLobby = named("OperatorLobby", lobbyFields);

export const namespaceLobbies = {
  "games.namespaces.lobbies.list": {
    ...cloud,
    method: "GET",
    path: lobbiesPath,
    summary: "Lists the lobbies of a namespace, oldest first, as the operator sees them.",
    query: object({
      ...pageQuery.properties,
      include_stopped: Type.Optional(
        Type.Boolean({ description: "Include lobbies that stopped within the last ten minutes." }),
      ),
      player_key: Type.Optional(playerKey("Only lobbies in which a player with this key has a seat.")),
    }),
    reply: object({
      lobbies: Type.Array(operatorLobby),
      held_back: Type.Array(
        named("HeldBackMode", {
          version_id: uuid("The version."),
          game_mode_id: Type.String(),
          consecutive_failures: uint32("How many lobbies failed one after the other."),
          next_try_ts: timestamp("When Foyer tries to start another one."),
          message: Type.String(),
        }),
        { description: "Game modes of the deployed version whose lobbies keep failing, so Foyer starts none now." },
      ),
      cursor,
    }),
    errors: ["API_BAD_QUERY", ...notFound],
  },
  "games.namespaces.lobbies.get": {
    ...cloud,
    method: "GET",
    path: `${lobbiesPath}/{lobby_id}`,
    summary: "Returns a lobby with its players and its latest events.",
    reply: object({
      lobby: named("OperatorLobbyDetails", {
        ...lobbyFields,
        state: Type.Unknown({ description: "What the lobby has set with lobbies.setState; null: nothing." }),
        log_tail: nullable(Type.String({ description: "The last lines of the process's log, if it ended by itself." })),
        players: Type.Array(
          named("OperatorSeat", {
            player_id: uuid("The player."),
            status: Type.String({ description: "reserved, connected or held" }),
            client: nullable(
              Type.String({ description: "The client that asked for the seat. Null: a server token did." }),
            ),
            ...keyShown,
            reserve_ts: timestamp("When the seat was reserved."),
            connect_ts: nullable(timestamp("When the player connected.")),
            expires_ts: nullable(timestamp("When the reservation or the hold ends.")),
          }),
        ),
        timeline: Type.Array(
          named("TimelineEntry", {
            at: timestamp("As of when it happened."),
            event: Type.String({ description: "The name of the event, as in games.namespaces.events." }),
            details: Type.Optional(
              record(Type.Unknown(), {
                description: "The player, the reason or what was changed, if there is one.",
              }),
            ),
          }),
          {
            description:
              "The last 50 events of the lobby, the newest last. After a restart of the service it starts again with `lobby.created`, `lobby.ready` and `lobby.stopped`.",
          },
        ),
      }),
    }),
    errors: [...notFound, "CLOUD_LOBBY_NOT_FOUND"],
  },
  "games.namespaces.lobbies.setClosed": {
    ...cloud,
    method: "PUT",
    path: `${lobbiesPath}/{lobby_id}/closed`,
    summary: "Sets the operator's flag that makes find avoid a lobby, independently of the lobby's own flag.",
    details:
      "Find avoids a lobby while this flag or the lobby's own is set, and neither call changes the other flag. " +
      "Players stay, and join works. Opening also clears the flag that revoking the lobby's server token set.",
    body: object({ is_closed: Type.Boolean() }),
    reply: null,
    errors: [...notFound, "CLOUD_LOBBY_NOT_FOUND"],
  },
  "games.namespaces.lobbies.stop": {
    ...cloud,
    method: "DELETE",
    path: `${lobbiesPath}/{lobby_id}`,
    summary: "Stops a lobby; its players lose their seats.",
    reply: null,
    errors: [...notFound, "CLOUD_LOBBY_NOT_FOUND"],
  },
} as const satisfies Record<string, Operation>;
