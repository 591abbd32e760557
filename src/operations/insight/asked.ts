import { nameIdMaxCharacters, tagNameMaxBytes, tagsMax, tagValueMaxBytes } from "../../ground/limits.ts";
import type { DecisionAsked } from "./decisions.ts";

/** Of the bodies of find, join and create, what a decision may show. */
export interface AskedBody {
  readonly game_modes?: readonly string[];
  readonly game_mode?: string;
  readonly regions?: readonly string[] | null;
  readonly region?: string | null;
  readonly tags?: Readonly<Record<string, string>> | null;
  readonly max_players?: number | null;
  readonly version?: string | null;
  readonly lobby_id?: string | null;
}

const versionMaxCharacters = 128;

/** What was asked for. A refused body may have texts of any length, so each is cut to what a right one may have. */
export function readAsked(body: AskedBody, seats: number): DecisionAsked {
  const modes = body.game_modes ?? (body.game_mode === undefined ? undefined : [body.game_mode]);
  const regions = body.regions ?? (body.region ? [body.region] : undefined);
  const tags = Object.entries(body.tags ?? {}).slice(0, tagsMax);
  return {
    ...(modes && { game_modes: modes.map(cutName) }),
    ...(regions && regions.length > 0 && { regions: regions.map(cutName) }),
    ...(tags.length > 0 && { tags: Object.fromEntries(tags.map(cutTag)) }),
    seats,
    ...(typeof body.max_players === "number" && { max_players: body.max_players }),
    ...(typeof body.version === "string" && { version: cut(body.version, versionMaxCharacters) }),
    ...(typeof body.lobby_id === "string" && { lobby_id: body.lobby_id.toLowerCase() }),
  };
}

const cutName = (name: string) => cut(name, nameIdMaxCharacters);
const cutTag = ([name, value]: [string, string]) => [cut(name, tagNameMaxBytes), cut(value, tagValueMaxBytes)];

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
