import { Type } from "typebox";
import { bodyMaxBytes, playerTokenMaxCharacters } from "../ground/limits.ts";
import { object, record, uint32, uuid } from "./common.ts";
import type { Operation } from "./define.ts";

const lobby = { callers: ["lobby", "dev"], rate: "lobby", query: null, bodyOptional: false, bodyMaxBytes } as const;
const ticket = object({
  player_token: Type.String({
    minLength: 1,
    maxLength: playerTokenMaxCharacters,
    description: "The token that the player got from find, join or create.",
  }),
});

export const players = {
  "players.connected": {
    ...lobby,
    method: "POST",
    path: "/matchmaker/players/connected",
    summary: "Reports that a player has connected to the calling lobby; a player token can be used once.",
    details: "Call it before you admit the player, and reject the player if the call is refused.",
    body: ticket,
    reply: object({ player_id: uuid("The player.") }),
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
    details: "Repeating it changes nothing. It also frees a reserved seat that was never connected.",
    body: ticket,
    reply: null,
    errors: ["MATCHMAKER_PLAYER_NOT_FOUND", "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY", "MATCHMAKER_LOBBY_STOPPED"],
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
