import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { findJsonError } from "../ground/json-error.ts";
import { nearest } from "./nearest.ts";
import { readSecretFile } from "./secret-files.ts";
import type { Setting } from "./setting.ts";
import { type SettingKey, settings } from "./settings.ts";

/** A value before it is checked, and where it came from ("--port", "FOYER_PORT", "foyer.config.json"). */
export interface Given {
  readonly key: SettingKey;
  readonly text: string;
  readonly origin: string;
}

/** The values of one source, and the issues in it. */
export interface Source {
  readonly given: readonly Given[];
  readonly issues: readonly string[];
  /** What is allowed but not recommended. */
  readonly warnings?: readonly string[];
}

export interface CommandLine extends Source {
  /** Arguments that are neither flags nor values of flags: a command and its own arguments. */
  readonly words: readonly string[];
  readonly configFile: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
}

export const settingKeys = Object.keys(settings) as SettingKey[];
export const toFlag = (key: SettingKey): string => `--${key.replaceAll("_", "-")}`;
export const toVariable = (key: SettingKey): string => `FOYER_${key.toUpperCase()}`;
/** The variable that names a file with the value. */
export const toFileVariable = (key: SettingKey): string => `${toVariable(key)}_FILE`;
const getSetting = (key: SettingKey): Setting<unknown> => settings[key] as Setting<unknown>;
export const isSecret = (key: SettingKey): boolean => getSetting(key).secret === true;
export const mayBeInFile = (key: SettingKey): boolean => getSetting(key).inFile === true;
const isToggle = (key: SettingKey): boolean => typeof settings[key].fallback === "boolean";

/** Reads the command line. Collects every issue and throws nothing. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const given: Given[] = [];
  const issues: string[] = [];
  const words: string[] = [];
  const seen = { configFile: undefined as string | undefined, help: false, version: false };

  // Not strict, because parseArgs would stop at the first issue. The tokens are enough to find all of them.
  const { tokens } = parseArgs({ args: withMarkedGaps(argv), options: flagOptions(), strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName } = token;
    const flag = flags.get(rawName);
    if (flag?.key && isSecret(flag.key)) {
      issues.push(
        `${rawName} is no longer a flag, because every user of the machine can read command lines: ` +
          `put the value into a file and name the file in ${toFileVariable(flag.key)}, or set ${toVariable(flag.key)}.`,
      );
    } else if (!flag) {
      issues.push(`${rawName} is not a flag of foyer${didYouMean(rawName, flagNames)}`);
    } else if (flag.takesValue) {
      if (!token.value) issues.push(`${rawName} needs a value, as in ${rawName}=VALUE.`);
      else if (flag.key) given.push({ key: flag.key, text: token.value, origin: rawName });
      else seen.configFile = token.value;
    } else if (flag.key && rawName.startsWith("--no-")) {
      if (token.value === undefined) given.push({ key: flag.key, text: "false", origin: rawName });
      else issues.push(`${rawName} takes no value.`);
    } else if (flag.key) {
      given.push({ key: flag.key, text: token.value ?? "true", origin: rawName });
    } else {
      seen[rawName === "--help" || rawName === "-h" ? "help" : "version"] = true;
    }
  }
  return { given, issues, words, ...seen };
}

/**
 * In `--port --demo`, parseArgs would take the second flag as the value of the first. An empty value marks the gap. A
 * negative number stays, so that it is reported as a bad value.
 */
function withMarkedGaps(argv: readonly string[]): string[] {
  return argv.map((argument, index) => {
    const isGap = flags.get(argument)?.takesValue && /^-(?!\d)/.test(argv[index + 1] ?? "");
    return isGap ? `${argument}=` : argument;
  });
}

/**
 * Reads the FOYER_ variables. An empty variable counts as not set, because container tools write `FOYER_X=` for that.
 */
export function readEnvironment(env: NodeJS.ProcessEnv, cwd: string): Source {
  const known = new Map(settingKeys.map((key) => [toVariable(key), key]));
  const named = new Map(settingKeys.filter(mayBeInFile).map((key) => [toFileVariable(key), key]));
  const given: Given[] = [];
  const issues: string[] = [];
  const warnings: string[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("FOYER_") || name === "FOYER_CONFIG" || lobbyVariables.has(name) || !text) continue;
    const key = known.get(name);
    const keyInFile = named.get(name);
    if (key) given.push({ key, text, origin: name });
    else if (keyInFile) readNamed(keyInFile, text);
    else {
      const near = didYouMean(name, [...known.keys(), ...named.keys()]);
      issues.push(`The environment variable ${name} is not a setting of Foyer${near}`);
    }
  }
  return { given, issues, warnings };

  function readNamed(key: SettingKey, file: string): void {
    const origin = toFileVariable(key);
    if (env[toVariable(key)]) return void issues.push(`${toVariable(key)} and ${origin} are both set; give only one.`);
    const found = readSecretFile(file, cwd);
    if ("issue" in found) return void issues.push(`The file ${file}, which ${origin} names, ${found.issue}.`);
    given.push({ key, text: found.text, origin });
    if (found.isReadableByOthers) {
      warnings.push(`Every user of this machine can read ${file}, which ${origin} names. Run chmod 600 on it.`);
    }
  }
}

/**
 * Variables that lobbies get in their environment, and the token of tools that call /cloud. A developer of a game
 * server may have them set; the service ignores them.
 */
const lobbyVariables: ReadonlySet<string> = new Set(
  [
    "TOKEN",
    "API_ENDPOINT",
    "LOBBY_ID",
    "GAME_ID",
    "NAMESPACE_ID",
    "NAMESPACE_NAME",
    "VERSION_ID",
    "GAME_MODE",
    "REGION",
    "MAX_PLAYERS",
    "MAX_PLAYERS_DIRECT",
    "LOBBY_TAGS",
    "LOBBY_CONFIG",
    "LOBBY_CODE",
    "HEARTBEAT_S",
    "RECONNECT_S",
    "CLOUD_TOKEN",
    "URL",
  ].map((name) => `FOYER_${name}`),
);

/** Reads the configuration file: the one named, which must exist, else foyer.config.json if there is one. */
export function readConfigFile(named: string | undefined, cwd: string): Source {
  const shown = named ?? defaultConfigFile;
  let content: string;
  try {
    content = readFileSync(resolve(cwd, shown), "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" && named === undefined) return { given: [], issues: [] };
    const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    return { given: [], issues: [`The configuration file ${shown} ${reason}.`] };
  }
  let values: unknown;
  try {
    values = JSON.parse(content);
  } catch {
    const { line, column, isCutOff } = findJsonError(content);
    const place = isCutOff ? "it ends too early" : `the first error is in line ${line}, column ${column}`;
    return { given: [], issues: [`${shown} is not valid JSON: ${place}.`] };
  }
  if (typeof values !== "object" || values === null || Array.isArray(values))
    return { given: [], issues: [`${shown} must hold one JSON object, such as { "port": 7100 }.`] };
  return readFileValues(values, shown);
}

export const defaultConfigFile = "foyer.config.json";

function readFileValues(values: object, shown: string): Source {
  const given: Given[] = [];
  const issues: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const key = settingKeys.find((known) => known === name);
    if (!key) issues.push(`"${name}" in ${shown} is not a setting of Foyer${didYouMean(name, settingKeys)}`);
    else if (value === null) continue;
    else if (Array.isArray(settings[key].fallback) && Array.isArray(value)) {
      if (value.length > 0) given.push({ key, text: value.join(","), origin: shown });
    } else if (typeof value === "object") issues.push(`"${key}" in ${shown} must be ${settings[key].kind.allowed}.`);
    else given.push({ key, text: String(value), origin: shown });
  }
  return { given, issues };
}

interface Flag {
  readonly key?: SettingKey;
  readonly takesValue: boolean;
}

const flags: ReadonlyMap<string, Flag> = new Map<string, Flag>([
  ...settingKeys.flatMap((key): [string, Flag][] =>
    isToggle(key)
      ? [
          [toFlag(key), { key, takesValue: false }],
          [toFlag(key).replace("--", "--no-"), { key, takesValue: false }],
        ]
      : [[toFlag(key), { key, takesValue: true }]],
  ),
  ["--config", { takesValue: true }],
  ["--help", { takesValue: false }],
  ["-h", { takesValue: false }],
  ["--version", { takesValue: false }],
  ["-v", { takesValue: false }],
]);

/** Flags that a message may suggest. */
const flagNames = [...flags].filter(([, { key }]) => !key || !isSecret(key)).map(([name]) => name);

function flagOptions(): Record<string, { type: "string" | "boolean" }> {
  const long = [...flags].filter(([name]) => name.startsWith("--"));
  return Object.fromEntries(
    long.map(([name, flag]) => [name.slice(2), { type: flag.takesValue ? "string" : "boolean" }]),
  );
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near ? `; did you mean ${near}?` : ". `foyer help serve` lists them all.";
}
