import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readPrivateFile } from "../../ground/data-folder.ts";
import { readRunningFile } from "../../ground/running-file.ts";
import { readIdentity } from "../../runtime/process-identity.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";
import type { Parsed } from "./flags.ts";
import { type Profile, readProfiles } from "./profiles.ts";

/** The service that a command talks to, and the token it uses. */
export interface Connection extends Partial<Pick<Profile, "game" | "namespace">> {
  readonly endpoint: string;
  readonly token: string;
  /** For messages: where the address and the token came from. */
  readonly origin: string;
}

/** No service was named, none runs here, and no profile is in use. */
export class NoServiceKnown extends CommandFailed {}

/**
 * In this order: `--endpoint` or FOYER_URL with a token; `--profile`; a Foyer that runs on the data folder here; the
 * profile in use. Never FOYER_TOKEN, which is a lobby's.
 */
export async function connect({ flags }: Parsed, env: NodeJS.ProcessEnv, cwd: string): Promise<Connection> {
  const endpoint = flags.get("endpoint") ?? env.FOYER_URL;
  const token = givenToken(flags.get("token-file"), env);
  if (endpoint) {
    if (token === null) throw new UsageError(`The token for ${endpoint} is missing. ${howToGiveToken}`);
    return { endpoint: readEndpoint(endpoint), token, origin: flags.has("endpoint") ? "--endpoint" : "FOYER_URL" };
  }
  const { profiles, current } = readProfiles(env);
  const name = flags.get("profile");
  if (name !== undefined && !Object.hasOwn(profiles, name)) throw new UsageError(unknownProfile(name, profiles));
  const local = name === undefined ? await findLocal(resolve(cwd, flags.get("data-dir") ?? ".foyer"), token) : null;
  if (local) return local;
  const dev = name === undefined && !flags.has("data-dir") ? await findDev(cwd, token) : null;
  if (dev) return dev;
  if (flags.has("data-dir")) {
    throw new CommandFailed(`No Foyer runs on the data folder ${flags.get("data-dir")}. Start it with foyer.`, 4);
  }
  const chosen = name ?? current;
  const profile = chosen === null ? undefined : profiles[chosen];
  if (profile === undefined) throw new NoServiceKnown(nothingKnown, 4);
  return { ...profile, ...(token !== null && { token }), origin: `profile ${chosen}` };
}

const howToGiveToken =
  "Set FOYER_ADMIN_TOKEN or FOYER_CLOUD_TOKEN, or name a file with it: --token-file FILE (- for standard input).";

const nothingKnown =
  "No Foyer runs on the data folder .foyer here, and no profile is in use. Start one with foyer, or sign in to another: foyer login https://foyer.example.com";

function givenToken(file: string | undefined, env: NodeJS.ProcessEnv): string | null {
  if (file !== undefined) return readTokenFile(file);
  return env.FOYER_ADMIN_TOKEN || env.FOYER_CLOUD_TOKEN || null;
}

export function readTokenFile(file: string): string {
  try {
    const token = readFileSync(file === "-" ? 0 : file, "utf8").trim();
    if (/^[\x21-\x7e]{16,512}$/.test(token)) return token;
  } catch (error) {
    throw new CommandFailed(`The token file ${file} cannot be read: ${(error as Error).message}.`);
  }
  throw new CommandFailed(`${file === "-" ? "Standard input" : `The file ${file}`} does not have a token in it.`);
}

/** The address with its path removed; http for this machine only, because the token is sent to it. */
export function readEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is not an address such as https://foyer.example.com.`);
  }
  return url.origin;
}

function unknownProfile(name: string, profiles: Readonly<Record<string, Profile>>): string {
  const known = Object.keys(profiles);
  const list = known.length === 0 ? "There are none" : `Known: ${known.join(", ")}`;
  return `There is no profile "${name}". ${list}; foyer login adds one.`;
}

/** Where `foyer dev` keeps its data that runs in this folder: a name that the other commands find, in no folder of the game. */
export function devFolder(cwd: string): string {
  return join(tmpdir(), `foyer-dev-${createHash("sha256").update(cwd).digest("hex").slice(0, 16)}`);
}

/** The Foyer of `foyer dev`. Any user of the machine can write to the folder above it, so it counts only if it is one's own. */
async function findDev(cwd: string, token: string | null): Promise<Connection | null> {
  const folder = devFolder(cwd);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) return null;
  const found = await findLocal(folder, token);
  return found && { ...found, origin: "foyer dev in this folder" };
}

/** The process that wrote the file has the folder's lock for as long as it lives, so the token goes to nothing else. */
export async function findLocal(folder: string, token: string | null): Promise<Connection | null> {
  const running = readRunningFile(folder);
  if (running === null || (await readIdentity(running.pid)) !== running.identity) return null;
  const own = token ?? readPrivateFile(join(folder, "admin-token"))?.trim();
  if (!own) {
    throw new UsageError(`The Foyer on ${folder} has its admin token from its settings. ${howToGiveToken}`);
  }
  return { endpoint: running.url, token: own, origin: `data folder ${folder}` };
}
