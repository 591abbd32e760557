import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { CommandFailed } from "../remote/exit-codes.ts";

/** The game of a folder: what foyer.game.json says, or what is assumed without one. */
export interface GameFile {
  readonly name_id: string;
  readonly display_name: string;
  /** The folder with the game's web page; null: it has none. */
  readonly page: string | null;
  /** The version document of the file; null: there is no file. */
  readonly config: VersionDocument | null;
  /** The version that `foyer dev` deploys: that of the file, with a registered lobby. */
  readonly devConfig: DevConfig;
}

/** As the developer wrote it; the service checks it. */
export interface VersionDocument {
  readonly regions: Readonly<Record<string, object>>;
  readonly game_modes: Readonly<Record<string, ModeDocument>>;
}

interface ModeDocument extends DevMode {
  readonly runtime?: {
    readonly process?: { readonly command?: string; readonly build_id?: string; readonly cwd?: string };
  };
  readonly actions?: { readonly create?: { readonly enabled?: boolean } };
  readonly idle_lobbies?: { readonly min?: number };
}

interface DevConfig {
  readonly regions: Readonly<Record<string, object>>;
  readonly game_modes: Readonly<Record<string, DevMode>>;
}

interface DevMode {
  readonly max_players: number;
  readonly max_players_direct?: number;
  readonly timeouts?: Readonly<Record<string, number | null>>;
  readonly ports?: Readonly<Record<string, { readonly protocol?: string; readonly routing?: string }>>;
}

export const gameFileName = "foyer.game.json";

/** `mode` and `maxPlayers` are for a folder without a file. */
export function readGameFile(folder: string, mode: string, maxPlayers: number): GameFile {
  const file = join(folder, gameFileName);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      throw new CommandFailed(`${file}: ${(error as Error).message}.`);
    const config = { regions: { local: {} }, game_modes: { [mode]: { max_players: maxPlayers } } };
    return { ...namesFrom(folder), page: null, config: null, devConfig: toDevConfig(config, folder) };
  }
  return parseGameFile(file, text, folder);
}

function parseGameFile(file: string, text: string, folder: string): GameFile {
  let given: { game?: string; display_name?: string; page?: string; config?: VersionDocument };
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new CommandFailed(`${file} is not valid JSON: ${(error as Error).message}.`);
  }
  const { game, display_name, page = null, config } = given;
  if (typeof game !== "string" || typeof config?.game_modes !== "object" || typeof config.regions !== "object") {
    throw new CommandFailed(`${file} needs "game" (its name_id) and "config" (regions and game_modes).`);
  }
  const name = { name_id: game, display_name: display_name ?? game };
  return { ...name, page: page === null ? null : join(folder, page), config, devConfig: toDevConfig(config, folder) };
}

/** The folder's name, with what a name_id cannot have replaced. */
function namesFrom(folder: string): Pick<GameFile, "name_id" | "display_name"> {
  const words =
    basename(folder)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name_id = words.join("-").slice(0, 32).replace(/-$/, "") || "my-game";
  return { name_id: ["validate", "new"].includes(name_id) ? "my-game" : name_id, display_name: name_id };
}

/**
 * `foyer dev` runs the program itself, so its lobby is a registered one. Its players may come back after a restart of the
 * program, and it is not silent while a debugger has stopped it. Lobbies that players create are started by Foyer, in
 * the developer's folder.
 */
function toDevConfig({ regions, game_modes }: VersionDocument, folder: string): DevConfig {
  const modes = Object.entries(game_modes).map(([name, { idle_lobbies: _, ...mode }]) => {
    const timeouts = { ...mode.timeouts, reconnect_s: mode.timeouts?.reconnect_s || 60, heartbeat_s: 0 };
    const ports = Object.entries(mode.ports ?? { default: {} }).map(([label, { protocol = "ws" }]) => [
      label,
      { protocol },
    ]);
    const { process } = mode.runtime ?? {};
    const isStarted = process && process.build_id === undefined && mode.actions?.create?.enabled;
    const runtime = isStarted
      ? { process: { ...process, cwd: resolve(folder, process.cwd ?? ".") } }
      : { external: {} };
    return [name, { ...mode, timeouts, ports: Object.fromEntries(ports), runtime }];
  });
  return { regions, game_modes: Object.fromEntries(modes) };
}
