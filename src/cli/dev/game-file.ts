import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { VersionConfig } from "foyer-sdk";
import { findJsonError } from "../../ground/json-error.ts";
import { CommandFailed } from "../remote/exit-codes.ts";
import { clean } from "../remote/show.ts";

/** The game of a folder: what foyer.game.json says, or what is assumed without one. */
export interface GameFile {
  readonly name_id: string;
  readonly display_name: string;
  /** The folder with the game's web page; null: it has none. */
  readonly page: string | null;
  /** Files that go into the build although they may hold secrets. */
  readonly include: readonly string[];
  /** Whether the build has packages that only development needs. */
  readonly development_packages: boolean;
  /** The version document of the file, which the service checks; null: there is no file. */
  readonly config: VersionConfig | null;
  /** The text of the file, for messages that name a line; empty: there is no file. */
  readonly text: string;
  /** The version that `foyer dev` deploys: that of the file, with a registered lobby. */
  readonly devConfig: VersionConfig;
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
    const modes = { [mode]: { max_players: maxPlayers, runtime: { external: {} } } };
    const devConfig = toDevConfig({ regions: { local: {} }, game_modes: modes }, folder);
    const nothing = { page: null, include: [], development_packages: false, config: null, text: "" };
    return { ...namesFrom(folder), ...nothing, devConfig };
  }
  return parseGameFile(file, text, folder);
}

/** The game that a folder says it is; null: none, or its file is damaged, which only matters to those who need all of it. */
export function gameOf(folder: string): string | null {
  try {
    const { game } = JSON.parse(readFileSync(join(folder, gameFileName), "utf8"));
    return typeof game === "string" ? game : null;
  } catch {
    return null;
  }
}

function parseGameFile(file: string, text: string, folder: string): GameFile {
  let given: Partial<Pick<GameFile, "display_name" | "page" | "include" | "development_packages" | "config">> & {
    game?: string;
  };
  try {
    given = JSON.parse(text);
  } catch {
    const { line, column, isCutOff } = findJsonError(text);
    const what = isCutOff ? "it ends too early" : "this is not JSON";
    throw new CommandFailed(`${file}:${line}:${column}: ${what}.`);
  }
  const { game, display_name, page = null, include = [], development_packages = false, config } = given ?? {};
  if (typeof game !== "string" || typeof config?.game_modes !== "object" || typeof config.regions !== "object") {
    throw new CommandFailed(`${file} needs "game" (its name_id) and "config" (regions and game_modes).`);
  }
  if (!Array.isArray(include) || typeof development_packages !== "boolean") {
    throw new CommandFailed(`${file}: "include" is a list of files, and "development_packages" is true or false.`);
  }
  return {
    ...{ name_id: game, display_name: display_name ?? game, page: page === null ? null : join(folder, page) },
    ...{ include, development_packages, config, text, devConfig: toDevConfig(config, folder) },
  };
}

/** What is wrong with the document in the file, each with line and column. A path ends with the reason. */
export function describeIssues(
  { text }: GameFile,
  issues: readonly { readonly path: readonly string[]; readonly message: string }[],
): string[] {
  return issues.map(({ path, message }) => {
    const { line, column } = findPosition(text, path);
    return `${gameFileName}:${line}:${column}: ${path.slice(0, -1).join(".")}: ${clean(message)}`;
  });
}

/** Where the deepest part of the path is that the text, which is valid JSON, has; both from 1. */
function findPosition(text: string, path: readonly string[]): { line: number; column: number } {
  const token = /[\s,:]*("(?:[^"\\]|\\.)*"|[{}[\]]|[^\s,:{}[\]"]+)/y;
  let best = 0;
  function next(): { word: string; start: number } {
    const word = token.exec(text)![1]!;
    return { word, start: token.lastIndex - word.length };
  }
  /** `isOn`: all keys that lead here are those of the path. */
  function read({ word }: { readonly word: string }, depth: number, isOn: boolean): void {
    if (word !== "{" && word !== "[") return;
    for (let index = 0, one = next(); one.word !== "}" && one.word !== "]"; index++, one = next()) {
      const key = word === "{" ? JSON.parse(one.word) : String(index);
      const isNext = isOn && key === path[depth];
      if (isNext) best = one.start;
      read(word === "{" ? next() : one, depth + 1, isNext);
    }
  }
  read(next(), 0, true);
  const before = text.slice(0, best).split("\n");
  return { line: before.length, column: [...before.at(-1)!].length + 1 };
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
function toDevConfig({ regions, game_modes }: VersionConfig, folder: string): VersionConfig {
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
