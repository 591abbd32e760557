import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { createClient } from "./client.ts";
import { readEndpoint, readTokenFile } from "./connection.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";
import { type Profile, readProfiles, writeProfiles } from "./profiles.ts";
import type { Remote } from "./run-remote.ts";
import { table } from "./show.ts";

/** `foyer login URL`: checks the token with the service and keeps both under a name. */
export async function login({ parsed, terminal, env, print }: Remote): Promise<undefined> {
  const endpoint = readEndpoint(parsed.words[0]!);
  const name = parsed.flags.get("name") ?? new URL(endpoint).hostname;
  if (!/^[\w.-]{1,64}$/.test(name)) throw new UsageError(`"${name}" is not a name: use letters, digits and . _ -`);
  const file = parsed.flags.get("token-file");
  const token = file === undefined ? await askForToken(env) : readTokenFile(file);
  const client = createClient({ endpoint, token, origin: `profile ${name}` });
  const { kind, game_id } = await client.auth.whoami();
  const { profiles } = readProfiles(env);
  const profile: Profile = { endpoint, token, ...(game_id && { game: game_id }) };
  writeProfiles(env, { current: name, profiles: { ...profiles, [name]: profile } });
  const note = endpoint.startsWith("http:") && !/^http:\/\/(localhost|127\.|\[::1\])/.test(endpoint);
  if (note) terminal.err("foyer: This address is plain http: any network on the way can read the token.\n");
  print({ name, endpoint, kind }, () => `Signed in to ${endpoint} with ${article(kind)} token, as "${name}".\n`);
}

const article = (kind: string) => (kind === "admin" ? "an admin" : `a ${kind}`);

/** `foyer logout NAME`: forgets the address and the token. */
export async function logout({ parsed, env, print }: Remote): Promise<undefined> {
  const { profiles, current } = readProfiles(env);
  const name = parsed.words[0] ?? current;
  if (name === null || !Object.hasOwn(profiles, name)) throw new UsageError(`There is no profile "${name ?? ""}".`);
  const { [name]: _, ...rest } = profiles;
  writeProfiles(env, { current: current === name ? null : current, profiles: rest });
  print({ name }, () => `Forgot "${name}". The token itself stays valid; revoke it if others know it.\n`);
}

/** `foyer use [NAME]`: chooses the profile, game and namespace that other commands are about; without words it lists them. */
export async function use({ parsed, env, print, terminal }: Remote): Promise<undefined> {
  const { profiles, current } = readProfiles(env);
  const game = parsed.flags.get("game");
  const namespace = parsed.flags.get("namespace");
  const name = parsed.words[0] ?? current;
  if (parsed.words.length === 0 && game === undefined && namespace === undefined) {
    const rows = Object.entries(profiles).map(([key, { token: _, ...profile }]) => ({
      name: key,
      ...profile,
      is_current: key === current,
    }));
    const columns = [
      ["", (row: Row) => (row.is_current ? "*" : " ")],
      ...(["name", "endpoint", "game", "namespace"] as const).map((key) => [key, (row: Row) => row[key]] as const),
    ] as const;
    print({ profiles: rows }, () => table(terminal, rows, columns, "No profiles. foyer login adds one."));
    return;
  }
  if (name === null || !Object.hasOwn(profiles, name)) {
    throw new UsageError(`There is no profile "${name ?? ""}". foyer login adds one.`);
  }
  const { game: _game, namespace: _namespace, ...profile } = profiles[name]!;
  const kept = game === undefined ? profiles[name] : undefined;
  const chosen: Profile = {
    ...profile,
    ...((game ?? kept?.game) && { game: (game ?? kept?.game)! }),
    ...((namespace ?? kept?.namespace) && { namespace: (namespace ?? kept?.namespace)! }),
  };
  writeProfiles(env, { current: name, profiles: { ...profiles, [name]: chosen } });
  const { token: _token, ...shown } = chosen;
  const about = [chosen.game, chosen.namespace].filter((text) => text !== undefined).join(" / ");
  print({ name, ...shown }, () => `Using "${name}" (${chosen.endpoint})${about && `, ${about}`}.\n`);
}

type Row = Partial<Profile> & { name: string; is_current: boolean };

async function askForToken(env: NodeJS.ProcessEnv): Promise<string> {
  const given = env.FOYER_ADMIN_TOKEN || env.FOYER_CLOUD_TOKEN;
  if (given) return given;
  if (!process.stdin.isTTY) return readTokenFile("-");
  // What is typed or pasted is not shown. This turns the terminal's own echo off, so it comes before the question.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stderr.write("Token: ");
  const token = (await lines.question("")).trim();
  lines.close();
  process.stderr.write("\n");
  if (token === "") throw new CommandFailed("No token was given.");
  return token;
}
