/** What a refusal of Foyer means for a player, by the codes of /docs/errors. Foyer's own texts are for developers. */
const words = {
  MATCHMAKER_LOBBY_NOT_FOUND: "This lobby does not exist. Check the link or the code.",
  MATCHMAKER_LOBBY_STOPPED: "This lobby has ended.",
  MATCHMAKER_LOBBY_FULL: "This lobby is full.",
  MATCHMAKER_NO_AVAILABLE_LOBBIES: "No lobby is free right now. Try again in a moment.",
  MATCHMAKER_TOO_MANY_LOBBIES: "All lobbies are in use right now. Try again in a moment.",
  MATCHMAKER_LOBBY_START_FAILED: "No lobby could be started right now. Try again in a moment.",
  MATCHMAKER_LOBBY_NOT_READY: "The lobby takes longer than usual to start. Try again in a moment.",
  MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE: "Too many players of your network are playing. Leave another lobby first.",
  MATCHMAKER_CLIENT_BLOCKED: "You cannot play here.",
  MATCHMAKER_PLAYER_RESERVATION_EXPIRED: "Your seat was free for too long, so it was given away.",
  MATCHMAKER_PLAYER_REMOVED: "Your seat was given away.",
  MATCHMAKER_PLAYER_NOT_FOUND: "Your seat was given away.",
  API_RATE_LIMIT: "That was too often. Wait a minute and try again.",
  API_UNAVAILABLE: "The game is very busy right now. Try again in a moment.",
};

/** A call did not succeed. `message` is for the player; `isFinal`: another try would give the same answer. */
class CallFailed extends Error {
  constructor(message, isFinal) {
    super(message);
    this.isFinal = isFinal;
  }
}

export const unreachable = () =>
  new CallFailed("The game cannot be reached. Check your connection and try again.", false);

export function describeRefusal(status, code) {
  return new CallFailed(words[code] ?? "That did not work. Try again in a moment.", status < 500 && status !== 429);
}
