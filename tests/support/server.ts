import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Connections, isTurnedAway, openConnection } from "../histories/connection.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Server {
  readonly port: number;
  readonly adminToken: string;
  readonly process: ChildProcess;
  /** A request with the admin token that must succeed; gives the JSON of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
  admin(method: string, path: string, body?: unknown): Promise<any>;
  /** Ends it in an orderly way and gives its exit code, or kills it. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

/** Something to send requests to, over so many connections; `server` is any node of it. */
export type OpenService = (
  connections: number,
) => Promise<{ readonly server: Server; readonly connections: Connections; close(): Promise<void> }>;

/** The built service as a separate process. x-forwarded-for distinguishes clients, and rate limits are off. */
export async function startServer(
  dataDir: string,
  extraFlags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const rates = ["address", "find", "create", "seats", "list", "lobby", "server", "cloud", "pages"].map(
    (rate) => `--rate-${rate}=0`,
  );
  const flags = ["--port=0", "--metrics-port=off", `--data-dir=${dataDir}`, "--log-level=error", "--log-format=json"];
  const more = ["--trusted-proxies=127.0.0.1", "--lobby-creation-budget=0", "--demo=off", ...rates];
  const program = join(root, "dist/cli/foyer.js");
  const child = spawn(process.execPath, [program, "serve", ...flags, ...more, ...extraFlags], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  while (!output.includes("Stop with Ctrl-C")) {
    const isOver = await Promise.race([ended.then(() => true), once(child.stderr, "data").then(() => false)]);
    if (isOver) throw new Error(`The server ended before it was ready:\n${output}`);
  }
  const port = Number(new URL(/API +(\S+)/.exec(output)![1]!).port);
  const adminToken = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
  return {
    port,
    adminToken,
    process: child,
    async admin(method, path, body) {
      const connection = await openConnection(port);
      let answer = await connection.send(method, path, adminToken, body);
      // A server on a busy machine may turn requests away before it looks at them; then the same request is made again.
      while (isTurnedAway(answer)) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        answer = await connection.send(method, path, adminToken, body);
      }
      connection.close();
      const { status, json } = answer;
      if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`);
      return json;
    },
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Compiles the service if need be; a test that talks to an old one would prove nothing. */
export async function ensureServerBuilt(): Promise<void> {
  const script = await loadBuildScript();
  if (!script.ensureBuilt()) throw new Error("The service does not compile.");
}

/** The same for the SDK. */
export async function ensureSdkBuilt(): Promise<void> {
  const script = await loadBuildScript();
  if (!script.ensureSdkBuilt()) throw new Error("The SDK does not compile.");
}

/** The same for the documentation. */
export async function ensureDocsBuilt(): Promise<void> {
  const script = await loadBuildScript();
  if (!script.ensureDocsBuilt()) throw new Error("The documentation cannot be rendered.");
}

/** The same for the dashboard. */
export async function ensureDashboardBuilt(): Promise<void> {
  const script = await loadBuildScript();
  if (!script.ensureDashboardBuilt()) throw new Error("The dashboard cannot be built.");
}

/** The same for the demo game, which the service starts. */
export async function ensureArenaBuilt(): Promise<void> {
  const script = await loadBuildScript();
  if (!script.ensureArenaBuilt()) throw new Error("The demo cannot be bundled.");
}

type BuildScript = Record<
  "ensureBuilt" | "ensureSdkBuilt" | "ensureDashboardBuilt" | "ensureArenaBuilt" | "ensureDocsBuilt",
  () => boolean
>;

async function loadBuildScript(): Promise<BuildScript> {
  // Cast: the script is plain JavaScript, so that it runs before anything is installed.
  const script: string = "../../scripts/ensure-built.mjs";
  return (await import(script)) as BuildScript;
}

export interface Namespace {
  readonly path: string;
  readonly publicToken: string;
  readonly serverToken: string;
}

/** A game of external lobbies with one namespace, ready to be played. */
export async function createNamespace(
  server: Server,
  nameId: string,
  gameMode: Record<string, unknown>,
  limits: { lobby_count_max: number; max_players: number; max_players_per_client: number | null },
): Promise<Namespace> {
  const { game_id } = await server.admin("POST", "/cloud/games", { display_name: "A Game", name_id: nameId });
  // Lobbies of tests need not send heartbeats.
  const timeouts = { heartbeat_s: 0, ...(gameMode.timeouts as object | undefined) };
  const duel = { ...gameMode, timeouts, runtime: { external: {} } };
  const config = { regions: { local: {} }, game_modes: { duel } };
  const version = await server.admin("POST", `/cloud/games/${game_id}/versions`, { display_name: "A Version", config });
  const body = { display_name: "A Namespace", name_id: "prod", version_id: version.version_id };
  const { namespace_id } = await server.admin("POST", `/cloud/games/${game_id}/namespaces`, body);
  const path = `/cloud/games/${game_id}/namespaces/${namespace_id}`;
  await server.admin("POST", `${path}/mm-config`, limits);
  const { token: publicToken } = await server.admin("POST", `${path}/tokens/public`);
  const { token: serverToken } = await server.admin("POST", `${path}/tokens/server`);
  return { path, publicToken, serverToken };
}
