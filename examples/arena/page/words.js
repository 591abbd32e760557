import { isFoyerError } from "foyer-sdk/client";

/** What a refusal of Foyer means for a player, by the codes of /docs/errors. Foyer's own texts are for developers. */
const words = {
  NO_ANSWER: "The game cannot be reached. Check your connection and try again.",
  MATCHMAKER_LOBBY_NOT_FOUND: "This lobby does not exist. Check the link or the code.",
  MATCHMAKER_LOBBY_STOPPED: "This lobby has ended.",
  MATCHMAKER_LOBBY_FULL: "This lobby is full.",
  MATCHMAKER_NO_AVAILABLE_LOBBIES: "No lobby is free right now. Try again in a moment.",
  MATCHMAKER_TOO_MANY_LOBBIES: "All lobbies are in use right now. Try again in a moment.",
  MATCHMAKER_LOBBY_START_FAILED: "No lobby could be started right now. Try again in a moment.",
  MATCHMAKER_LOBBY_NOT_READY: "The lobby takes longer than usual to start. Try again in a moment.",
  MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE: "Too many players of your network are playing. Leave another lobby first.",
  MATCHMAKER_CLIENT_BLOCKED: "You cannot play here.",
  API_RATE_LIMIT: "That was too often. Wait a minute and try again.",
  API_UNAVAILABLE: "The game is very busy right now. Try again in a moment.",
};

/** An error of Foyer in words for the player; other errors have such words already. */
export function explain(error) {
  if (!isFoyerError(error)) return error.message;
  return words[error.code] ?? "That did not work. Try again in a moment.";
}

/** Whether another try would get the same answer. */
export function isFinal(error) {
  return isFoyerError(error) && error.status >= 400 && error.status < 500 && error.status !== 429;
}
