import { type Kind, port, whole } from "./kinds.ts";

/** One thing an operator can set. `data_dir` in the file is FOYER_DATA_DIR in the environment and --data-dir as a flag. */
export interface Setting<T> {
  readonly kind: Kind<T>;
  /** null: not set, and `absent` says what happens then. */
  readonly fallback: T;
  readonly group: SettingGroup;
  readonly description: string;
  readonly absent?: string;
  /** The value is never shown, and it cannot be a flag: every user of the machine can read command lines. */
  readonly secret?: boolean;
  /** It may be in a file, which FOYER_…_FILE names. */
  readonly inFile?: boolean;
}

export const settingGroups = [
  "Network",
  "Data",
  "Several nodes",
  "Access",
  "Logs and metrics",
  "Quotas",
  "Matchmaking",
  "Lobby processes",
  "Containers",
  "Limits per minute, 0 for none",
] as const;
type SettingGroup = (typeof settingGroups)[number];

/** A row of the table. */
export function setting<T, const F extends T | null>(
  kind: Kind<T>,
  fallback: F,
  group: SettingGroup,
  description: string,
  more: { absent?: string; secret?: boolean; inFile?: boolean } = {},
): Setting<F extends null ? T | null : T> {
  // A kind of T also serves T | null, because null is never parsed from text. TypeScript cannot see that.
  return { kind, fallback, group, description, ...more } as unknown as Setting<F extends null ? T | null : T>;
}

export function perMinute(count: number, description: string): Setting<number> {
  return setting(whole("COUNT", 0, 1_000_000_000), count, "Limits per minute, 0 for none", description);
}

export function quota(count: number, description: string): Setting<number> {
  return setting(whole("COUNT", 1, 1_000_000), count, "Quotas", description);
}

export function portOrOff(): Kind<number | null> {
  return {
    placeholder: "PORT",
    allowed: `${port.allowed}, or off`,
    parse: (given) => (given.toLowerCase() === "off" ? null : port.parse(given)),
    show: (value) => (value === null ? "off" : String(value)),
  };
}
