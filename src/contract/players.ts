import { bodyMaxBytes, playerBodyValuesMax, playerTokenMaxCharacters } from "../ground/limits.ts";
import { keyShown, named, object, optional, playerKey, record, uint32, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { joinAnswer } from "./join-answer.ts";
import { Type } from "./type.ts";

const lobby = { callers: ["lobby", "dev"], rate: "lobby", query: null, bodyOptional: false, bodyMaxBytes } as const;
const playerToken = Type.String({
  minLength: 1,
  maxLength: playerTokenMaxCharacters,
  description: "The token that the player got from find, join or create.",
});
const ticket = object({ player_token: playerToken });
/** A player's own seat: by its token, or from a backend by the player's key. */
const ownSeat = named("OwnSeatRequest", {
  player_token: optional(playerToken),
  key: optional(
    playerKey("The key that a server token gave with the seat. Server tokens only; in place of `player_token`."),
  ),
});
const own = {
  callers: ["pub", "origin", "dev", "server"],
  rate: "find",
  query: null,
  body: ownSeat,
  bodyOptional: false,
  bodyMaxBytes,
  bodyValuesMax: playerBodyValuesMax,
} as const;

export const players = {
  "players.connected": {
    ...lobby,
    method: "POST",
    path: "/matchmaker/players/connected",
    summary: "Reports that a player has connected to the calling lobby; a player token can be used once.",
    details:
      "Call it before you admit the player, and reject the player if the call is refused. A player whose seat is held " +
      "comes back with the same token.",
    body: ticket,
    reply: object({
      player_id: uuid("The player."),
      returned: Type.Boolean({ description: "The player has dropped and came back: its seat was held." }),
      ...keyShown,
    }),
    errors: [
      "MATCHMAKER_PLAYER_NOT_FOUND",
      "MATCHMAKER_PLAYER_ALREADY_CONNECTED",
      "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY",
      "MATCHMAKER_PLAYER_RESERVATION_EXPIRED",
      "MATCHMAKER_PLAYER_REMOVED",
      "MATCHMAKER_LOBBY_STOPPED",
    ],
  },
  "players.disconnected": {
    ...lobby,
    method: "POST",
    path: "/matchmaker/players/disconnected",
    summary: "Reports that a player has left the calling lobby, and frees the seat.",
    details:
      "Repeating it changes nothing. It also frees a reserved seat that was never connected. With `may_return` the seat " +
      "of a connected player is held for `reconnect_s` of the game mode, and nothing else changes.",
    body: object({
      player_token: playerToken,
      may_return: optional(
        Type.Boolean({ description: "The player dropped and may come back. Means nothing where `reconnect_s` is 0." }),
      ),
    }),
    reply: null,
    errors: ["MATCHMAKER_PLAYER_NOT_FOUND", "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY", "MATCHMAKER_LOBBY_STOPPED"],
  },
  "players.resume": {
    ...own,
    method: "POST",
    path: "/matchmaker/players/resume",
    summary: "Returns where the lobby of a player with a taken seat is, as find did.",
    details:
      "For a client that was restarted or lost its connection. It changes and extends nothing. In a lobby that is still " +
      "starting it waits like find, and releases nothing when it gives up.",
    reply: joinAnswer,
    errors: [
      "API_BAD_BODY",
      "MATCHMAKER_CLIENT_BLOCKED",
      "MATCHMAKER_KEY_NOT_VOUCHED",
      "MATCHMAKER_PLAYER_NOT_FOUND",
      "MATCHMAKER_PLAYER_RESERVATION_EXPIRED",
      "MATCHMAKER_PLAYER_REMOVED",
      "MATCHMAKER_LOBBY_STOPPED",
      "MATCHMAKER_LOBBY_START_FAILED",
      "MATCHMAKER_LOBBY_NOT_READY",
    ],
  },
  "players.release": {
    ...own,
    method: "POST",
    path: "/matchmaker/players/release",
    summary: "Gives up a player's reserved or held seat.",
    details:
      "Only this seat, not those of its party. Repeating it changes nothing. A connected player leaves its lobby.",
    reply: null,
    errors: [
      "API_BAD_BODY",
      "MATCHMAKER_KEY_NOT_VOUCHED",
      "MATCHMAKER_PLAYER_NOT_FOUND",
      "MATCHMAKER_PLAYER_ALREADY_CONNECTED",
    ],
  },
  "players.getStatistics": {
    callers: ["pub", "origin", "dev"],
    rate: "list",
    query: null,
    body: null,
    bodyOptional: false,
    bodyMaxBytes,
    method: "GET",
    path: "/matchmaker/players/statistics",
    summary: "Counts the taken seats, by game mode and region.",
    reply: object({
      player_count: uint32("In the namespace."),
      game_modes: record(
        object({
          player_count: uint32("In the game mode."),
          regions: record(object({ player_count: uint32("In the region.") })),
        }),
      ),
    }),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
