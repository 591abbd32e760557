import { UsageError } from "../remote/exit-codes.ts";
import type { Flags, Parsed } from "../remote/flags.ts";

/** What `foyer load` was asked to do. */
export interface LoadOptions {
  /** At most so many players at the same time. */
  readonly players: number;
  /** Players that arrive in a second. */
  readonly rate: number;
  readonly durationMs: number;
  readonly playMs: number;
  /** How long a party tries to get seats before it gives up. */
  readonly patienceMs: number;
  readonly party: number;
  /** Null: the first one of the deployed version. */
  readonly modes: readonly string[] | null;
  /** In the namespace itself, with its own lobbies. */
  readonly isLive: boolean;
  /** The first message to a lobby; `{token}` stands for the token of the player. */
  readonly hello: string;
}

const numbers = {
  players: { fallback: 100, min: 1, max: 5_000 },
  rate: { fallback: 20, min: 0.1, max: 1_000 },
  duration: { fallback: 10, min: 1, max: 3_600 },
  play: { fallback: 5, min: 0, max: 600 },
  patience: { fallback: 10, min: 0, max: 600 },
  party: { fallback: 1, min: 1, max: 64 },
} as const;

const range = (name: keyof typeof numbers) => {
  const { fallback, min, max } = numbers[name];
  return `${min} to ${max}; ${fallback} by default.`;
};

export const loadFlags: Flags = {
  players: { value: "COUNT", description: `Most players at the same time, ${range("players")}` },
  rate: { value: "COUNT", description: `Players that arrive each second, ${range("rate")}` },
  duration: { value: "SECONDS", description: `How long players arrive, ${range("duration")}` },
  play: { value: "SECONDS", description: `How long each plays, on average, ${range("play")}` },
  party: { value: "SIZE", description: `Players who look for seats together, ${range("party")}` },
  patience: { value: "SECONDS", description: `How long a refused party tries again, ${range("patience")}` },
  mode: { value: "A,B,…", description: "Game modes, which parties take in turn; the first one by default." },
  live: { value: null, description: "In the namespace itself and its own lobbies, with its real players." },
  hello: { value: "TEXT", description: "With --live: first message to the lobby; {token} by default." },
  "allow-remote": { value: null, description: "Also for a service on another machine." },
  yes: { value: null, description: "With --live: do not ask.", short: "y" },
};

/** Throws a UsageError that names what is wrong. */
export function readOptions({ flags }: Parsed): LoadOptions {
  const read = (name: keyof typeof numbers, isWhole: boolean) => {
    const { fallback, min, max } = numbers[name];
    const text = flags.get(name);
    const number = text === undefined ? fallback : Number(text);
    const isGood = text?.trim() !== "" && number >= min && number <= max && (!isWhole || Number.isInteger(number));
    if (!isGood) {
      throw new UsageError(
        `--${name} must be a ${isWhole ? "whole " : ""}number from ${min} to ${max}, not "${text}".`,
      );
    }
    return number;
  };
  const isLive = flags.has("live");
  if (flags.has("hello") && !isLive)
    throw new UsageError("--hello is for --live: without it no lobby is connected to.");
  if (flags.has("yes") && !isLive) throw new UsageError("--yes is for --live: nothing else asks.");
  const options = {
    players: read("players", true),
    rate: read("rate", false),
    durationMs: read("duration", false) * 1_000,
    playMs: read("play", false) * 1_000,
    patienceMs: read("patience", false) * 1_000,
    party: read("party", true),
    modes: flags.get("mode")?.split(",") ?? null,
    isLive,
    hello: flags.get("hello") ?? "{token}",
  };
  if (options.party > options.players) throw new UsageError("--party cannot be larger than --players.");
  return options;
}

/** A mistyped address must not put load on a service that others use. */
export function refuseRemote(endpoint: string, { flags }: Parsed): void {
  if (flags.has("allow-remote") || isLoopback(endpoint)) return;
  throw new UsageError(`${endpoint} is not on this machine. Give --allow-remote if it may get load.`);
}

export function isLoopback(endpoint: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(endpoint).hostname);
}
