import type { Find, LobbyView, Pair, RefusalCode } from "../../matchmaker/commands.ts";

/** What a find did, or would do, in a sentence. */

export function seatedSummary(lobby: LobbyView, isNewLobby: boolean): string {
  return isNewLobby ? createdSummary(lobby) : `Lobby ${lobby.lobbyId} is the best fit in ${place(lobby)}.`;
}

export function createdSummary(pair: Pair): string {
  return `No existing lobby fits, so a new one is created in ${place(pair)}.`;
}

/** `plan` is what was asked of the rules: NO_AVAILABLE_LOBBIES has more than one reason. */
export function refusedSummary(code: RefusalCode, plan: Find | null, isCreationPrevented: boolean): string {
  if (code !== "NO_AVAILABLE_LOBBIES") return refusals[code] ?? "The find was refused.";
  if (isCreationPrevented) return "No lobby fits, and prevent_auto_create_lobby keeps find from creating one.";
  if (plan?.create === null) return "No lobby fits, and lobbies of these game modes are not started by Foyer.";
  return "No lobby fits, and the party is larger than a new lobby may hold.";
}

interface AskedFor {
  readonly game_modes: readonly string[];
  readonly regions?: readonly string[] | null;
  readonly tags?: Readonly<Record<string, string>> | null;
  readonly prevent_auto_create_lobby?: boolean | null;
}

/** Why there is no lobby for a find. `plan` is what was asked of the rules. */
export function noLobbyMessage(body: AskedFor, seats: number, plan: Find | null): string {
  const modes = `${body.game_modes.length === 1 ? "game mode" : "game modes"} ${body.game_modes.join(", ")}`;
  const where = body.regions?.length ? " in the requested regions" : "";
  const tagged = Object.keys(body.tags ?? {}).length > 0 ? " with the requested tags" : "";
  const free = seats === 1 ? "a free seat" : `${seats} free seats`;
  const lacking = `No open lobby of the ${modes}${where}${tagged} has ${free}`;
  if (body.prevent_auto_create_lobby) return `${lacking}, and prevent_auto_create_lobby keeps find from creating one.`;
  if (plan?.create === null) return `${lacking}, and none can be created on demand.`;
  return `${lacking}, and ${tooLarge(seats)}.`;
}

/** Why a party fits into no new lobby. */
export function tooLarge(seats: number): string {
  return seats === 1 ? "a new one cannot seat players now" : `a party of ${seats} is larger than a new one may hold`;
}

const refusals: Partial<Record<RefusalCode, string>> = {
  TOO_MANY_PLAYERS_FROM_SOURCE: "This client would hold more seats than max_players_per_client allows.",
  TOO_MANY_LOBBIES: "No lobby fits, and the namespace has as many lobbies as lobby_count_max allows.",
  API_RATE_LIMIT: "No lobby fits, and this client's finds have caused as many new lobbies as they may in a minute.",
  START_FAILED: "No lobby fits, and none can be started now.",
};

function place({ gameMode, region }: Pair): string {
  return `${gameMode} in ${region}`;
}
