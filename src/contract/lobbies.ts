import {
  bodyMaxBytes,
  createBodyValuesMax,
  findGameModesMax,
  findRegionsMax,
  heartbeatBodyMaxBytes,
  heartbeatPlayersMax,
  joinCodeMaxCharacters,
  lobbyStateMaxBytes,
  pageSizeMax,
  partySizeMax,
  playerBodyValuesMax,
  portsMax,
} from "../ground/limits.ts";
import {
  cursor,
  keyShown,
  named,
  object,
  optional,
  plainTextPatternSource,
  playerKey,
  record,
  uint32,
  uuid,
} from "./common.ts";
import type { Operation } from "./define.ts";
import { dryRunAnswer, joinAnswer, lobbyCode } from "./join-answer.ts";
import { listedLobby } from "./lobby-watch.ts";
import { region } from "./regions.ts";
import { Type } from "./type.ts";

const player = {
  callers: ["pub", "origin", "dev"],
  query: null,
  body: null,
  bodyOptional: false,
  bodyMaxBytes,
  bodyValuesMax: playerBodyValuesMax,
} as const;
/** A studio's backend seats players that it vouches for. */
const seating = { ...player, callers: ["pub", "origin", "dev", "server"] } as const;
const lobby = {
  callers: ["lobby", "dev"],
  rate: "lobby",
  query: null,
  body: null,
  bodyOptional: false,
  bodyMaxBytes,
} as const;

const mode = Type.String({ description: "The name of a game mode in the deployed version." });
const regionId = Type.String({ description: "The name of a region in the deployed version." });
/** Tags are shown in lists, and lobbies get them in an environment variable. */
const tagText = Type.String({ pattern: plainTextPatternSource });
const tags = record(tagText, {
  propertyNames: tagText,
  description: "At most 8; names ≤ 64 and values ≤ 256 bytes, without control characters and line breaks.",
});
const version = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    "The id or the display name of the version that the caller was built for. Refused when another one is deployed.",
});
const partySize = Type.Integer({
  minimum: 1,
  maximum: partySizeMax,
  description: "Seats to take together; 1 if absent.",
});
const seats = Type.Array(
  named("SeatRequest", { key: optional(playerKey("Your own name for the player.")) }, "A seat, and whom it is for."),
  {
    minItems: 1,
    maxItems: partySizeMax,
    description: "One entry for each seat, in place of `party_size`. The answer has them in the same order.",
  },
);
const maxPlayers = uint32("Size of a lobby that this call creates, where the game mode allows choosing it.");
const registeredMaxPlayers = uint32(
  "Size of the lobby. Replaces both maxima of its game mode; at most the larger of them.",
);
const publicity = Type.Unsafe<"public" | "private" | null>({
  type: ["string", "null"],
  enum: ["public", "private", null],
  description: "Private lobbies are never found.",
});

const lobbyTimes = {
  heartbeat_s: uint32("Send a heartbeat at least this often; 0: none is needed."),
  reconnect_s: uint32("How long a dropped player may come back; 0: seats are not held."),
};

const seatErrors = [
  "API_BAD_HEADER",
  "MATCHMAKER_CLIENT_BLOCKED",
  "API_BAD_BODY",
  "MATCHMAKER_KEY_NOT_VOUCHED",
  "MATCHMAKER_PLAYER_ALREADY_SEATED",
  "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE",
  "MATCHMAKER_IDEMPOTENCY_KEY_REUSED",
  "MATCHMAKER_LOBBY_START_FAILED",
  "MATCHMAKER_LOBBY_NOT_READY",
] as const;
const tagErrors = ["MATCHMAKER_TAGS_DISABLED", "MATCHMAKER_TOO_MANY_TAGS", "MATCHMAKER_TAG_TOO_LONG"] as const;
const sizeErrors = ["MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED", "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID"] as const;
const versionErrors = ["MATCHMAKER_VERSION_NOT_DEPLOYED"] as const;
const modeErrors = [
  "MATCHMAKER_NO_VERSION_DEPLOYED",
  "MATCHMAKER_GAME_MODE_NOT_FOUND",
  "MATCHMAKER_REGION_NOT_FOUND",
] as const;

/** What a find asks for. */
export const findFields = {
  game_modes: Type.Array(mode, { maxItems: findGameModesMax, description: "In order of preference." }),
  regions: optional(Type.Array(regionId, { maxItems: findRegionsMax, description: "In order of preference." })),
  tags: optional(tags),
  max_players: optional(maxPlayers),
  party_size: optional(partySize),
  players: optional(seats),
  version: optional(version),
  prevent_auto_create_lobby: optional(Type.Boolean()),
} as const;

export const lobbies = {
  "lobbies.find": {
    ...seating,
    method: "POST",
    path: "/matchmaker/lobbies/find",
    summary: "Reserves seats for a player or party in the fullest lobby that fits, or creates a lobby if none fits.",
    details:
      "Find tries game modes, then regions, in the order given. In the first pair that has a fitting lobby, ready " +
      "lobbies come before starting ones, then the fullest, then the oldest. Find never chooses closed or private " +
      "lobbies. If the lobby is still starting, the call waits until it is ready. With an `Idempotency-Key` a " +
      "retry gets the same seats.",
    rate: "find",
    body: object({
      ...findFields,
      dry_run: optional(
        Type.Boolean({
          description: "Only answer what find would do: take no seat, create no lobby. An Idempotency-Key is ignored.",
        }),
      ),
      explain: optional(
        Type.Boolean({
          description:
            "Add why each lobby was or was not chosen. When the find is refused, this is in `metadata.explain` of the error.",
        }),
      ),
    }),
    reply: joinAnswer,
    dryRunReply: dryRunAnswer,
    errors: [
      ...modeErrors,
      ...versionErrors,
      "MATCHMAKER_NO_GAME_MODE_PROVIDED",
      "MATCHMAKER_FIND_DISABLED",
      "MATCHMAKER_PORTS_INVALID",
      ...tagErrors,
      ...sizeErrors,
      "MATCHMAKER_NO_AVAILABLE_LOBBIES",
      "MATCHMAKER_TOO_MANY_LOBBIES",
      "API_RATE_LIMIT",
      ...seatErrors,
    ],
  },
  "lobbies.join": {
    ...seating,
    method: "POST",
    path: "/matchmaker/lobbies/join",
    summary: "Reserves seats for a player or party in one lobby by its id or code, including closed and private ones.",
    details:
      "It fills a lobby up to `max_players_direct` and never opens a closed one. Pass either `lobby_id` or `code`. A code " +
      "that no living lobby has is LOBBY_NOT_FOUND; after too many of them in a minute codes are refused with 429, while " +
      "joins by id go on.",
    rate: "find",
    body: object({
      lobby_id: optional(uuid("The lobby to join.")),
      code: optional(
        Type.String({
          maxLength: joinCodeMaxCharacters,
          description: "The code of the lobby to join, in upper or lower case. Spaces and hyphens do not matter.",
        }),
      ),
      party_size: optional(partySize),
      players: optional(seats),
    }),
    reply: joinAnswer,
    errors: [
      "API_BAD_BODY",
      "MATCHMAKER_LOBBY_NOT_FOUND",
      "MATCHMAKER_LOBBY_STOPPED",
      "MATCHMAKER_LOBBY_FULL",
      "MATCHMAKER_JOIN_DISABLED",
      ...seatErrors,
      "API_RATE_LIMIT",
    ],
  },
  "lobbies.create": {
    ...seating,
    method: "POST",
    path: "/matchmaker/lobbies/create",
    summary: "Creates a lobby and reserves seats for the caller in it.",
    rate: "create",
    bodyValuesMax: createBodyValuesMax,
    body: object({
      game_mode: mode,
      region: optional(regionId),
      publicity: Type.Optional(publicity),
      tags: optional(tags),
      max_players: optional(maxPlayers),
      party_size: optional(partySize),
      players: optional(seats),
      version: optional(version),
      lobby_config: Type.Optional(Type.Unknown({ description: "Any JSON up to 16 KiB, passed to the lobby." })),
    }),
    reply: joinAnswer,
    errors: [
      ...modeErrors,
      ...versionErrors,
      "MATCHMAKER_CREATE_DISABLED",
      "MATCHMAKER_PUBLICITY_NOT_ALLOWED",
      "MATCHMAKER_LOBBY_CONFIG_INVALID",
      "MATCHMAKER_PORTS_INVALID",
      ...tagErrors,
      ...sizeErrors,
      "MATCHMAKER_NO_AVAILABLE_LOBBIES",
      "MATCHMAKER_TOO_MANY_LOBBIES",
      ...seatErrors,
      "API_RATE_LIMIT",
    ],
  },
  "lobbies.list": {
    ...player,
    method: "GET",
    path: "/matchmaker/lobbies/list",
    summary: "Lists the public lobbies that are ready, including full and closed ones.",
    rate: "list",
    query: object({
      include_state: Type.Optional(Type.Boolean()),
      game_mode: Type.Optional(mode),
      region: Type.Optional(regionId),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax })),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    }),
    reply: object({
      game_modes: Type.Array(object({ game_mode_id: Type.String() })),
      regions: Type.Array(region),
      lobbies: Type.Array(listedLobby),
      cursor,
    }),
    errors: ["API_BAD_QUERY", ...modeErrors],
  },
  "lobbies.ready": {
    ...lobby,
    method: "POST",
    path: "/matchmaker/lobbies/ready",
    summary: "Marks the calling lobby as ready to accept players.",
    details: "Calls that wait for the lobby are answered. Repeating this changes nothing.",
    reply: null,
    errors: ["MATCHMAKER_LOBBY_STOPPED"],
  },
  "lobbies.setClosed": {
    ...lobby,
    method: "PUT",
    path: "/matchmaker/lobbies/closed",
    summary: "Sets whether the matchmaker routes new players to the calling lobby.",
    details:
      "With `true`, no find that starts after the answer returns the lobby. The lobby keeps running, its players and " +
      "seats reserved before stay, and joining by its id remains possible: reject new connections if you do " +
      "not want that. `false` makes it routable again. Repeating a call changes nothing.",
    body: object({ is_closed: Type.Boolean({ description: "Whether the lobby is closed to matchmaker routing." }) }),
    reply: null,
    errors: ["MATCHMAKER_LOBBY_STOPPED"],
  },
  "lobbies.setState": {
    ...lobby,
    method: "PUT",
    path: "/matchmaker/lobbies/state",
    summary: "Stores any JSON value with the calling lobby; an empty body clears it.",
    bodyMaxBytes: lobbyStateMaxBytes,
    body: Type.Unknown({ description: "Any JSON value up to 16 KiB." }),
    bodyOptional: true,
    reply: null,
    errors: ["MATCHMAKER_LOBBY_STOPPED"],
  },
  "lobbies.getState": {
    ...lobby,
    method: "GET",
    path: "/matchmaker/lobbies/{lobby_id}/state",
    summary: "Returns the state of a lobby of the caller's namespace; null if it has none.",
    reply: Type.Unknown({ description: "The value that the lobby set." }),
    errors: ["MATCHMAKER_LOBBY_NOT_FOUND", "MATCHMAKER_LOBBY_STOPPED"],
  },
  "lobbies.heartbeat": {
    ...lobby,
    method: "POST",
    path: "/matchmaker/lobbies/heartbeat",
    summary: "Sends the matchmaker the lobby's view of its players, and returns the matchmaker's view.",
    details:
      "A player who is missing from `player_ids` twice in a row loses the seat, or has it held where the lobby has a " +
      "`reconnect_s`; a held player who is named has returned. `is_closed: true` closes the lobby; `false` never opens it.",
    bodyMaxBytes: heartbeatBodyMaxBytes,
    bodyOptional: true,
    body: object({
      player_ids: optional(Type.Array(uuid("A connected player."), { maxItems: heartbeatPlayersMax })),
      is_closed: optional(Type.Boolean()),
    }),
    reply: object({
      player_ids: Type.Array(Type.String(), { description: "The connected players." }),
      players: Type.Array(
        named("HeartbeatPlayer", {
          player_id: uuid("The player."),
          ...keyShown,
          is_held: Type.Boolean({ description: "The player dropped and may come back." }),
        }),
        { description: "The connected and the held players." },
      ),
      is_closed: Type.Boolean({ description: "The lobby's own flag." }),
      is_closed_by_operator: Type.Boolean({
        description: "The operator has closed the lobby to find, independently of its own flag.",
      }),
      is_outdated: Type.Boolean({ description: "Another version is deployed: stop when you can." }),
      ...lobbyTimes,
    }),
    errors: ["MATCHMAKER_LOBBY_STOPPED"],
  },
  "lobbies.stop": {
    ...lobby,
    method: "POST",
    path: "/matchmaker/lobbies/stop",
    summary: "Ends the calling lobby.",
    reply: null,
    errors: ["MATCHMAKER_LOBBY_STOPPED"],
  },
  "lobbies.register": {
    method: "POST",
    path: "/matchmaker/lobbies/register",
    summary: "Registers a lobby that you run yourself and returns its lobby token.",
    callers: ["server"],
    rate: "server",
    query: null,
    bodyOptional: false,
    bodyMaxBytes,
    body: object({
      game_mode: mode,
      region: regionId,
      ports: record(
        object({
          hostname: Type.String({
            minLength: 1,
            maxLength: 253,
            description: "A host name (a single label, such as a container's, is allowed) or an IP address.",
          }),
          port: Type.Integer({ minimum: 1, maximum: 65_535 }),
          is_tls: Type.Boolean(),
        }),
        { maxProperties: portsMax, description: "One for each port label of the game mode." },
      ),
      version_id: optional(uuid("The version that the lobby runs; absent: the deployed one.")),
      tags: optional(tags),
      max_players: optional(registeredMaxPlayers),
      publicity: Type.Optional(publicity),
    }),
    reply: object({
      lobby_id: uuid("The lobby."),
      token: Type.String({ description: "The lobby token." }),
      ...lobbyTimes,
      code: Type.Optional(lobbyCode),
    }),
    errors: [
      ...modeErrors,
      "CLOUD_VERSION_NOT_FOUND",
      "MATCHMAKER_PORTS_INVALID",
      ...tagErrors,
      "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID",
      "MATCHMAKER_TOO_MANY_LOBBIES",
    ],
  },
} as const satisfies Record<string, Operation>;
