import { resolve } from "node:path";
import { redact } from "../ground/redact.ts";
import type { Kind } from "./kinds.ts";
import { type Config, type SettingKey, settings } from "./settings.ts";
import { type Given, readCommandLine, readConfigFile, readEnvironment, settingKeys } from "./sources.ts";

export type { Config } from "./settings.ts";

export interface ConfigSources {
  /** The arguments after the program's name. Words that are not flags are left to the caller. */
  readonly argv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** The configuration cannot be used; every issue is listed, not only the first. */
export class ConfigError extends Error {
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    const list = issues.map((issue) => `  - ${issue}`).join("\n");
    super(issues.length === 1 ? issues[0] : `The configuration has ${issues.length} issues:\n${list}`);
    this.name = "ConfigError";
    this.issues = issues;
  }
}

/** Flags override the environment, which overrides the file, which overrides the defaults. Throws a ConfigError. */
export function loadConfig(sources: ConfigSources = {}): Config {
  return loadSettings(sources).config;
}

/** One setting as `foyer config` shows it: secrets and passwords are masked. */
export interface ShownSetting {
  readonly key: SettingKey;
  readonly value: string;
  readonly origin: string;
}

/** Like loadConfig, and also returns for every setting where its value came from. */
export function loadSettings(sources: ConfigSources = {}): {
  config: Config;
  shown: ShownSetting[];
  warnings: readonly string[];
} {
  const { argv = [], env = process.env, cwd = process.cwd() } = sources;
  const commandLine = readCommandLine(argv);
  const file = readConfigFile(commandLine.configFile ?? (env.FOYER_CONFIG || undefined), cwd);
  const environment = readEnvironment(env, cwd);
  const issues = [...commandLine.issues, ...environment.issues, ...file.issues];

  // The last value of a key wins, so the source with the lowest priority comes first.
  const chosen = new Map<SettingKey, Given>();
  for (const given of [...file.given, ...environment.given, ...commandLine.given]) chosen.set(given.key, given);
  const values = new Map<SettingKey, unknown>();
  for (const [key, given] of chosen) {
    const value = getKind(key).parse(given.text);
    if (value === undefined) issues.push(badValue(given));
    else values.set(key, value);
  }
  values.set("data_dir", resolve(cwd, String(values.get("data_dir") ?? settings.data_dir.fallback)));
  for (const key of ["tls_cert", "tls_key"] as const) {
    if (values.has(key)) values.set(key, resolve(cwd, String(values.get(key))));
  }

  const config = buildConfig(values);
  issues.push(...contradictions(config));
  if (issues.length > 0) throw new ConfigError(issues);
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

/** Colours are for terminals without NO_COLOR in the environment. */
export function wantsColours(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

function buildConfig(values: ReadonlyMap<SettingKey, unknown>): Config {
  const entries = settingKeys.map((key) => [
    toProperty(key),
    values.has(key) ? values.get(key) : settings[key].fallback,
  ]);
  // Each value was parsed by its own setting's kind, or is its default.
  return Object.freeze(Object.fromEntries(entries)) as Config;
}

/** Issues between settings that are valid by themselves. */
function contradictions(config: Config): string[] {
  const issues: string[] = [];
  const isSamePort = config.port !== 0 && config.port === config.metricsPort;
  if (isSamePort && config.host === config.metricsHost) {
    issues.push(`port and metrics_port are both ${config.port}; change one of them, or set metrics_port to off.`);
  }
  issues.push(...tlsContradictions(config));
  if (config.redirectHttpPort !== null && !config.publicUrl?.startsWith("https:")) {
    issues.push("redirect_http_port needs public_url, the https address that it redirects to.");
  }
  if (config.redisUrl !== null && config.databaseUrl === null) {
    issues.push(
      "redis_url needs database_url: with live lobbies in Redis, games and tokens must be in a PostgreSQL that every node reaches.",
    );
  }
  if (config.redisUrl !== null && config.secret === null) {
    issues.push(
      "redis_url needs secret, the same on every node: a token that one node signed must be valid on the others. Make one with `openssl rand -hex 32`.",
    );
  }
  return issues;
}

function tlsContradictions({ tlsCert, tlsKey, host, port, localPort, metricsHost, metricsPort }: Config): string[] {
  if (tlsCert === null && tlsKey === null) return [];
  if (tlsCert === null) return ["tls_key needs tls_cert, the certificate of that key."];
  if (tlsKey === null) return ["tls_cert needs tls_key, the private key of that certificate."];
  const issues: string[] = [];
  const isTaken = (otherHost: string, otherPort: number | null) =>
    localPort !== 0 && otherPort === localPort && ["127.0.0.1", "0.0.0.0", "::", "localhost"].includes(otherHost);
  const change = "change one of them: with tls_cert Foyer also listens on local_port of 127.0.0.1.";
  if (isTaken(host, port)) issues.push(`port and local_port are both ${port}; ${change}`);
  if (isTaken(metricsHost, metricsPort)) issues.push(`metrics_port and local_port are both ${localPort}; ${change}`);
  return issues;
}

function badValue({ key, text, origin }: Given): string {
  const { kind } = settings[key];
  const isHidden = settings[key].secret || key === "database_url" || key === "redis_url";
  const shown = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  const place = origin.startsWith("-") || origin.startsWith("FOYER_") ? origin : `"${key}" in ${origin}`;
  return `${place} must be ${kind.allowed}${isHidden ? "" : `, not "${redact(shown)}"`}.`;
}

function showValue(key: SettingKey, config: Config): string {
  const value: unknown = config[toProperty(key) as keyof Config];
  const { absent, secret } = { absent: undefined, secret: false, ...settings[key] };
  if (value === null && absent) return `(not set: ${absent})`;
  if (secret) return "[hidden]";
  return redact(getKind(key).show(value)) || "(none)";
}

/**
 * The cast is safe: the kinds of the table have different value types, but the kind that parses a key's text also shows
 * its value.
 */
function getKind(key: SettingKey): Kind<unknown> {
  return settings[key].kind as Kind<unknown>;
}

function toProperty(key: SettingKey): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
