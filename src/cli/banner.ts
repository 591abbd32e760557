import { bold, dim, type Terminal } from "./terminal.ts";

export interface BannerFacts {
  readonly version: string;
  readonly url: string;
  /** For programs on this machine; another one with TLS. */
  readonly localUrl: string;
  /** The dashboard's address with a code in it; null: none was made. */
  readonly signInUrl: string | null;
  readonly metricsUrl: string | null;
  readonly demoUrl: string | null;
  /** Null: this is the only node. */
  readonly nodeId: string | null;
  readonly dataDir: string;
  readonly adminToken: { readonly token: string; readonly path: string | null };
  /** Where a configured admin token came from: a flag, a variable or a file. */
  readonly tokenOrigin: string;
}

/** What a person needs after a start: addresses, files, and a call that can be pasted into a shell. */
export function banner(facts: BannerFacts, terminal: Pick<Terminal, "isInteractive" | "colours">): string {
  const { url, localUrl } = facts;
  const token = tokenInShell(facts);
  const row = (name: string, value: string) => `  ${bold(terminal, name.padEnd(12))} ${value}`;
  return [
    "",
    `  ${bold(terminal, `Foyer ${facts.version} is ready`)}`,
    "",
    row("Dashboard", facts.signInUrl ?? `${url}/`),
    `  ${" ".repeat(12)} ${dim(terminal, signInHint(facts))}`,
    row("API", url),
    ...(localUrl !== url ? [row("Local API", `${localUrl}, for lobbies and tools on this machine`)] : []),
    row("Admin token", shownToken(facts, terminal)),
    row("Data", facts.dataDir),
    ...(facts.nodeId === null ? [] : [row("Node", `${facts.nodeId}, with live lobbies in Redis`)]),
    row("Metrics", facts.metricsUrl ?? "off"),
    "",
    ...(facts.demoUrl === null ? [] : [`  ${bold(terminal, "Play the demo:")} ${facts.demoUrl}`, ""]),
    dim(terminal, "  Create a game:"),
    "",
    curl(`${localUrl}/cloud/games`, token, { display_name: "My Game", name_id: "my-game" }),
    "",
    dim(terminal, "  Then ask whether it could have a namespace with this name:"),
    "",
    curl(`${localUrl}/cloud/games/my-game/namespaces/validate`, token, {
      display_name: "Production",
      name_id: "prod",
    }),
    "",
    dim(terminal, "  Stop with Ctrl-C."),
    "",
    "",
  ].join("\n");
}

function signInHint({ signInUrl }: BannerFacts): string {
  if (signInUrl === null) return "sign in with the admin token, or with the address that foyer open prints";
  return "signs you in once, within 5 minutes; foyer open prints another address";
}

function shownToken({ adminToken, tokenOrigin }: BannerFacts, terminal: Pick<Terminal, "isInteractive">): string {
  if (adminToken.path === null) return `from ${tokenOrigin}`;
  return terminal.isInteractive ? `${adminToken.token}  (in ${adminToken.path})` : `in ${adminToken.path}`;
}

/**
 * The shell reads the token when the command runs, so that it is neither in the scroll-back nor in the shell history.
 */
function curl(url: string, token: string, body: object): string {
  return [
    `  curl ${url} \\`,
    `    -H "Authorization: Bearer ${token}" \\`,
    `    -H "Content-Type: application/json" \\`,
    `    -d '${JSON.stringify(body)}'`,
  ].join("\n");
}

function tokenInShell({ adminToken, tokenOrigin }: BannerFacts): string {
  if (adminToken.path !== null) return `$(cat ${shellQuoted(adminToken.path)})`;
  return tokenOrigin.endsWith("_FILE") ? `$(cat "$${tokenOrigin}")` : "$FOYER_ADMIN_TOKEN";
}

function shellQuoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
