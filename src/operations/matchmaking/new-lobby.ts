import type { ResolvedGameMode } from "../../contract/version-config.ts";
import type { NewLobby, Pair, Tags } from "../../matchmaker/commands.ts";
import { quoted } from "../cloud/lookup.ts";
import { usualHeartbeatS } from "../cloud/version-document.ts";
import type { NamespaceConfig, VersionInUse } from "../config-reader.ts";
import { refuse } from "../refusal.ts";
import { nearestFirst, type Place } from "./geo.ts";

/** What a request asks of the lobby that it may cause. */
export interface Wishes {
  readonly tags: Tags;
  /** Null: the mode's own size. */
  readonly maxPlayers: number | null;
}

export function readWishes(body: { readonly tags?: Tags | null; readonly max_players?: number | null }): Wishes {
  return { tags: body.tags ?? {}, maxPlayers: body.max_players ?? null };
}

export function deployedVersion(config: NamespaceConfig) {
  const message = "No version of the game is deployed here yet, so there are no lobbies.";
  return config.version ?? refuse("MATCHMAKER_NO_VERSION_DEPLOYED", message);
}

/** Null: the caller was built for the deployed version, or does not say for which. */
export function checkVersion({ versionId, displayName }: VersionInUse, wanted: string | null | undefined) {
  if (wanted === undefined || wanted === null) return null;
  if (wanted === displayName || wanted.toLowerCase() === versionId) return null;
  const message = `The version ${quoted(wanted)} is not deployed. Deployed is ${quoted(displayName)}.`;
  const metadata = { deployed_version: { version_id: versionId, display_name: displayName } };
  return refuse("MATCHMAKER_VERSION_NOT_DEPLOYED", message, { metadata });
}

export function findGameMode(version: VersionInUse, name: string) {
  const { game_modes } = version.config;
  if (Object.hasOwn(game_modes, name)) return game_modes[name]!;
  const known = Object.keys(game_modes).join(", ");
  return refuse("MATCHMAKER_GAME_MODE_NOT_FOUND", `Unknown game mode ${quoted(name)}. Available: ${known}.`);
}

export function regionNotFound(modes: readonly string[], regions: readonly string[]) {
  const message = `No requested game mode (${modes.join(", ")}) runs in a requested region (${regions.map(quoted).join(", ")}).`;
  return refuse("MATCHMAKER_REGION_NOT_FOUND", message);
}

/** Null: the mode takes these tags. */
export function checkModeTags(name: string, mode: ResolvedGameMode, tags: Tags) {
  if (mode.taggable || Object.keys(tags).length === 0) return null;
  return refuse("MATCHMAKER_TAGS_DISABLED", `The game mode ${name} takes no tags.`);
}

/** Null: a lobby of the mode may have this size. */
export function checkModeSize(name: string, mode: ResolvedGameMode, maxPlayers: number | null) {
  const largest = Math.max(mode.max_players, mode.max_players_direct);
  if (maxPlayers === null || (maxPlayers >= 1 && maxPlayers <= largest)) return null;
  const message = `max_players of a lobby of the game mode ${name} must be 1 to ${largest}.`;
  return refuse("MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID", message);
}

/** Null: the caller may ask for this. What the mode lets players choose does not bind a studio's own backend. */
export function checkWishes(name: string, mode: ResolvedGameMode, { tags, maxPlayers }: Wishes, isPlayer: boolean) {
  const checkSize = isPlayer ? checkChosenSize : checkModeSize;
  return checkModeTags(name, mode, tags) ?? checkSize(name, mode, maxPlayers);
}

/** Null: a player may choose this size. */
function checkChosenSize(name: string, mode: ResolvedGameMode, maxPlayers: number | null) {
  if (maxPlayers !== null && !mode.allow_dynamic_max_players) {
    const message = `The game mode ${name} does not let callers set max_players.`;
    return refuse("MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED", message);
  }
  return checkModeSize(name, mode, maxPlayers);
}

/** The pairs that a find goes through, in order: modes as given, then regions as given or by distance. */
export function listPairs(
  version: VersionInUse,
  modes: readonly (readonly [string, ResolvedGameMode])[],
  regions: readonly string[],
  place: Place | null,
): Pair[] {
  const pairs: Pair[] = [];
  for (const [gameMode, mode] of modes) {
    const wanted =
      regions.length === 0
        ? nearestFirst(mode.regions, version.config.regions, place)
        : regions.filter((region) => mode.regions.includes(region));
    for (const region of wanted) pairs.push({ gameMode, region });
  }
  return pairs;
}

/** Whether Foyer starts this mode's lobbies itself. */
export function isStartable(mode: ResolvedGameMode): boolean {
  return !("external" in mode.runtime);
}

/** What is not the same for every lobby that Foyer starts for players. */
interface Special {
  readonly isExternal?: boolean;
  readonly isPrivate?: boolean;
  /** JSON text. */
  readonly ports?: string | null;
  /** JSON text. */
  readonly lobbyConfig?: string | null;
  /** Candidates for its code; null: its mode has none. */
  readonly codes: readonly string[] | null;
}

/** A lobby of a mode, with everything that the rules will ever need of its version. */
export function newLobby(
  lobbyId: string,
  version: VersionInUse,
  pair: Pair,
  wishes: Wishes,
  { isExternal = false, isPrivate = false, ports = null, lobbyConfig = null, codes }: Special,
): NewLobby {
  const mode = version.config.game_modes[pair.gameMode]!;
  const { timeouts } = mode;
  const lobby: NewLobby = {
    lobbyId,
    versionId: version.versionId,
    gameMode: pair.gameMode,
    region: pair.region,
    maxPlayers: wishes.maxPlayers ?? mode.max_players,
    maxPlayersDirect: wishes.maxPlayers ?? mode.max_players_direct,
    isJoinable: mode.actions.join.enabled,
    takesOpenKeys: mode.player_keys === "open",
    tags: wishes.tags,
    readyMs: timeouts.ready_s * 1000,
    reservationMs: timeouts.reservation_s * 1000,
    heartbeatMs: (isExternal ? timeouts.registered_heartbeat_s : (timeouts.heartbeat_s ?? usualHeartbeatS)) * 1000,
    isMute: !isExternal && timeouts.heartbeat_s === null,
    emptyMs: timeouts.empty_s * 1000,
    reconnectMs: timeouts.reconnect_s * 1000,
    isExternal,
    isPrivate,
    ports,
    lobbyConfig,
  };
  return codes === null ? lobby : { ...lobby, codes };
}
