import { createFoyer, type Foyer } from "foyer-sdk";

/** A change as one call of the SDK: `(foyer) => foyer.games.deleteGame(game)`. */
export type Change<T = unknown> = (foyer: Foyer) => Promise<T>;

export interface CallDescription {
  readonly curl: string;
  readonly command: string;
}

/** The same call for a terminal. Neither has the token: the shell takes it from the environment. */
export function describeCall(change: Change, origin: string): CallDescription {
  const { url, method, body } = recordRequest(change, origin);
  const { operation, words } = recordOperation(change);
  const curl = [
    `curl -X ${method} ${quote(url.href)}`,
    '-H "Authorization: Bearer $FOYER_ADMIN_TOKEN"',
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(body)}`]),
  ].join(" \\\n  ");
  const flags = [...url.searchParams].map(([name, value]) => {
    const flag = `--${name.replaceAll("_", "-")}`;
    return value === "true" ? flag : `${flag}=${quote(value)}`;
  });
  const given = body === null ? [] : [`--body ${quote(body)}`];
  return { curl, command: ["foyer call", operation, ...words.map(quote), ...flags, ...given].join(" ") };
}

/** What the SDK would send. It calls fetch before it waits for anything. */
function recordRequest(change: Change, origin: string): { url: URL; method: string; body: string | null } {
  let request: { url: URL; method: string; body: string | null } | null = null;
  const fetch: typeof globalThis.fetch = (input, { method = "GET", body } = {}) => {
    request = { url: new URL(String(input)), method, body: typeof body === "string" ? body : null };
    return new Promise(() => {});
  };
  void change(createFoyer({ endpoint: origin, fetch }));
  if (request === null) throw new Error("The change calls no operation.");
  return request;
}

/** The name of the operation and the words of its path. */
function recordOperation(change: Change): { operation: string; words: readonly string[] } {
  let found: { operation: string; words: readonly string[] } | null = null;
  const at = (path: readonly string[]): unknown =>
    new Proxy(() => {}, {
      get: (_, name) => at([...path, String(name)]),
      apply(_, __, args: readonly unknown[]) {
        found = { operation: path.join("."), words: args.filter((arg) => typeof arg === "string") };
        return new Promise(() => {});
      },
    });
  // Cast: it answers to every name, and so to those of the SDK.
  void change(at([]) as Foyer);
  if (found === null) throw new Error("The change calls no operation.");
  return found;
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
