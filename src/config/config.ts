import { resolve } from "node:path";
import { redact } from "../ground/redact.ts";
import type { Kind } from "./kinds.ts";
import { type Config, type SettingKey, settings } from "./settings.ts";
import { type Given, readCommandLine, readConfigFile, readEnvironment, settingKeys } from "./sources.ts";

export type { Config } from "./settings.ts";

export interface ConfigSources {
  /** The arguments after the program's name. Words that are no flags are left to the caller. */
  readonly argv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** The configuration cannot be used; every fault is listed, not only the first. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const list = faults.map((fault) => `  - ${fault}`).join("\n");
    super(faults.length === 1 ? faults[0] : `The configuration has ${faults.length} faults:\n${list}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/** Flags win over the environment, that over the file, that over the defaults. Throws a ConfigError. */
export function loadConfig(sources: ConfigSources = {}): Config {
  return loadSettings(sources).config;
}

/** One setting as `foyer config` shows it: secrets and passwords are masked. */
export interface ShownSetting {
  readonly key: SettingKey;
  readonly value: string;
  readonly origin: string;
}

/** Like loadConfig, and also tells for every setting where its value came from. */
export function loadSettings(sources: ConfigSources = {}): {
  config: Config;
  shown: ShownSetting[];
  warnings: readonly string[];
} {
  const { argv = [], env = process.env, cwd = process.cwd() } = sources;
  const commandLine = readCommandLine(argv);
  const file = readConfigFile(commandLine.configFile ?? (env.FOYER_CONFIG || undefined), cwd);
  const environment = readEnvironment(env, cwd);
  const faults = [...commandLine.faults, ...environment.faults, ...file.faults];

  // The last one given for a key wins, so the weakest source comes first.
  const chosen = new Map<SettingKey, Given>();
  for (const given of [...file.given, ...environment.given, ...commandLine.given]) chosen.set(given.key, given);
  const values = new Map<SettingKey, unknown>();
  for (const [key, given] of chosen) {
    const value = kindOf(key).parse(given.text);
    if (value === undefined) faults.push(badValue(given));
    else values.set(key, value);
  }
  values.set("data_dir", resolve(cwd, String(values.get("data_dir") ?? settings.data_dir.fallback)));

  const config = buildConfig(values);
  faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigError(faults);
  const shown = settingKeys.map((key) => ({
    key,
    value: showValue(key, config),
    origin: chosen.get(key)?.origin ?? "default",
  }));
  return { config, shown, warnings: environment.warnings ?? [] };
}

/** The defaults with some properties replaced, unchecked: for tests and for embedding. */
export function defaultConfig(overrides: Partial<Config> = {}): Config {
  return Object.freeze({ ...buildConfig(new Map()), ...overrides });
}

/** Colours are for terminals whose owner has not said NO_COLOR. */
export function wantsColours(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

function buildConfig(values: ReadonlyMap<SettingKey, unknown>): Config {
  const entries = settingKeys.map((key) => [
    propertyOf(key),
    values.has(key) ? values.get(key) : settings[key].fallback,
  ]);
  // Each value was parsed by its own setting's kind, or is its default.
  return Object.freeze(Object.fromEntries(entries)) as Config;
}

/** Faults that no single setting has. */
function contradictions(config: Config): string[] {
  const faults: string[] = [];
  const isSamePort = config.port !== 0 && config.port === config.metricsPort;
  if (isSamePort && config.host === config.metricsHost) {
    faults.push(`port and metrics_port are both ${config.port}; give one of them another number, or metrics_port off.`);
  }
  if (config.redisUrl !== null && config.databaseUrl === null) {
    faults.push(
      "redis_url needs database_url: with live lobbies in Redis, games and tokens must be in a PostgreSQL that every node reaches.",
    );
  }
  if (config.redisUrl !== null && config.secret === null) {
    faults.push(
      "redis_url needs secret, the same on every node: a token that one node signed must be valid on the others. Make one with `openssl rand -hex 32`.",
    );
  }
  return faults;
}

function badValue({ key, text, origin }: Given): string {
  const { kind } = settings[key];
  const isHidden = settings[key].secret || key === "database_url" || key === "redis_url";
  const shown = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  const place = origin.startsWith("-") || origin.startsWith("FOYER_") ? origin : `"${key}" in ${origin}`;
  return `${place} must be ${kind.allowed}${isHidden ? "" : `, not "${redact(shown)}"`}.`;
}

function showValue(key: SettingKey, config: Config): string {
  const value: unknown = config[propertyOf(key) as keyof Config];
  const { absent, secret } = { absent: undefined, secret: false, ...settings[key] };
  if (value === null && absent) return `(not set: ${absent})`;
  if (secret) return "[hidden]";
  return redact(kindOf(key).show(value)) || "(none)";
}

/** Border: the kinds of the table have different value types; one that parses a key's text also shows its value. */
function kindOf(key: SettingKey): Kind<unknown> {
  return settings[key].kind as Kind<unknown>;
}

function propertyOf(key: SettingKey): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
