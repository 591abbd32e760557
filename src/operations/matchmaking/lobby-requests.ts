import { lobbyConfigMaxBytes, tagNameMaxBytes, tagsMax, tagValueMaxBytes } from "../../ground/limits.ts";
import { type Issue, refuse } from "../refusal.ts";

type Tags = Readonly<Record<string, string>>;

/** What can be said of a find without knowing the namespace. Null: nothing is wrong. */
export function checkFindRequest(body: { game_modes: readonly string[]; tags?: Tags | null }) {
  if (body.game_modes.length === 0) {
    return refuse("MATCHMAKER_NO_GAME_MODE_PROVIDED", "game_modes is empty: name at least one game mode.");
  }
  return checkTags(body.tags);
}

export function checkTags(tags: Tags | null | undefined) {
  if (!tags) return null;
  const entries = Object.entries(tags);
  if (entries.length > tagsMax) {
    return refuse("MATCHMAKER_TOO_MANY_TAGS", `There are ${entries.length} tags; at most ${tagsMax} are allowed.`);
  }
  const errors = entries
    .filter(([name, value]) => Buffer.byteLength(name) > tagNameMaxBytes || Buffer.byteLength(value) > tagValueMaxBytes)
    .map(([name]) => ({ path: ["tags", name], message: tagLimits }));
  return errors.length > 0 ? refuse("MATCHMAKER_TAG_TOO_LONG", `A tag is too long: ${tagLimits}.`, { errors }) : null;
}

const tagLimits = `a tag's name has at most ${tagNameMaxBytes} bytes, its value at most ${tagValueMaxBytes}`;

export function checkLobbyConfig(config: unknown) {
  if (config === undefined || config === null) return null;
  const bytes = Buffer.byteLength(JSON.stringify(config));
  if (bytes <= lobbyConfigMaxBytes) return null;
  const message = `lobby_config takes ${bytes} bytes; at most ${lobbyConfigMaxBytes} are allowed.`;
  return refuse("MATCHMAKER_LOBBY_CONFIG_INVALID", message);
}

/** What a call says of the seats that it asks for. */
export interface SeatsBody {
  readonly party_size?: number | null;
  readonly players?: readonly { readonly key?: string | null }[] | null;
}

/** Null: nothing is wrong with the seats that a call asks for. */
export function checkSeats({ party_size, players }: SeatsBody) {
  if (!players) return null;
  const errors: Issue[] = [];
  if (party_size !== undefined && party_size !== null) {
    errors.push({ path: ["players"], message: "takes the place of party_size: send one of the two" });
  }
  const seen = new Set<string>();
  for (const [index, { key }] of players.entries()) {
    if (key === undefined || key === null) continue;
    if (seen.has(key))
      errors.push({ path: ["players", String(index), "key"], message: "is the key of another player" });
    seen.add(key);
  }
  return errors.length > 0 ? refuse("API_BAD_BODY", "The players are not valid; see `errors`.", { errors }) : null;
}

/** How many seats a call asks for. */
export function countSeats({ party_size, players }: SeatsBody): number {
  return players?.length ?? party_size ?? 1;
}
