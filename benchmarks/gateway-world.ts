import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../tests/support/services/programs.ts";
import { startNginx } from "../tests/support/services/proxies.ts";
import { bearer, send } from "./requests.ts";
import { serveFoyer } from "./server-process.ts";
import { readFirst } from "./web-sockets.ts";

/** A way to the same lobby. */
export interface Way {
  readonly name: string;
  readonly url: string;
  /** The process between client and lobby; null: there is none. */
  readonly pid: number | null;
}

export interface Ways {
  readonly direct: Way;
  readonly nginx: Way;
  readonly gateway: Way;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("echo-lobby.mjs", import.meta.url));
const limit = "20000";

/** Starts the service, which starts a lobby, and nginx in front of that lobby. */
export async function openWays(): Promise<Ways> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-bench-"));
  const nginxFolder = mkdtempSync(join(tmpdir(), "foyer-bench-nginx-"));
  const raised = ["max-gateway-connections", "max-gateway-connections-per-client", "max-connections-per-address"];
  const foyer = await serveFoyer(folder, ["--metrics-port", "off", ...raised.flatMap((name) => [`--${name}`, limit])]);
  const stops = [() => foyer.stop()];
  async function stop(): Promise<void> {
    for (const each of stops.reverse()) await each();
    for (const each of [folder, nginxFolder]) rmSync(each, { recursive: true, force: true });
  }
  try {
    const adminToken = readFileSync(join(folder, "admin-token"), "utf8").trim();
    const { url, lobbyId } = await findLobby(foyer.url, adminToken);
    // Lobbies go on without the service.
    stops.push(() => stopLobby(foyer.url, adminToken, lobbyId));
    const lobbyPort = Number(await readFirst(`${url}/port`));
    const port = await freePort();
    const nginx = await startNginx(nginxFolder, nginxText(nginxFolder, port, lobbyPort));
    stops.push(() => nginx.stop());
    await waitUntilAnswered(`http://127.0.0.1:${port}`);
    return {
      direct: { name: "direct", url: `ws://127.0.0.1:${lobbyPort}/`, pid: null },
      nginx: { name: "nginx", url: `ws://127.0.0.1:${port}/`, pid: findWorker(join(nginxFolder, "pid")) },
      gateway: { name: "gateway", url, pid: foyer.pid },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes a game whose lobby is behind the gateway, and starts that lobby; its address for players. */
async function findLobby(url: string, adminToken: string): Promise<{ url: string; lobbyId: string }> {
  const post = async <T>(path: string, body: unknown, token = adminToken) =>
    JSON.parse((await send("POST", `${url}${path}`, bearer(token), body)).body) as T;
  const mode = {
    max_players: 5000,
    ports: { game: { protocol: "ws", routing: "gateway" } },
    runtime: { process: { command: process.execPath, args: [program] } },
  };
  await post("/cloud/games", { display_name: "Bench", name_id: "bench" });
  const config = { regions: { local: {} }, game_modes: { echo: mode } };
  const made = await post<{ version_id: string }>("/cloud/games/bench/versions", { display_name: "1", config });
  await post("/cloud/games/bench/namespaces", { display_name: "Prod", name_id: "prod", ...made });
  const { token } = await post<{ token: string }>("/cloud/games/bench/namespaces/prod/tokens/public", {});
  const find = { game_modes: ["echo"] };
  const found = await post<Found>("/matchmaker/lobbies/find", find, token);
  return { url: found.ports.game.url, lobbyId: found.lobby.lobby_id };
}

interface Found {
  readonly lobby: { readonly lobby_id: string };
  readonly ports: { readonly game: { readonly url: string } };
}

/** Until its process has ended. */
async function stopLobby(url: string, adminToken: string, lobbyId: string): Promise<void> {
  const path = `${url}/cloud/games/bench/namespaces/prod/lobbies/${lobbyId}`;
  const headers = { authorization: `Bearer ${adminToken}` };
  await fetch(path, { method: "DELETE", headers });
  for (;;) {
    const { lobby } = (await (await fetch(path, { headers })).json()) as { lobby: Record<string, unknown> };
    if (lobby.exit_signal !== null || lobby.exit_code !== null) return;
    await sleep(5);
  }
}

function nginxText(folder: string, port: number, lobbyPort: number): string {
  return `worker_processes 1;
worker_rlimit_nofile ${limit};
error_log ${folder}/error.log crit;
pid nginx.pid;
events { worker_connections ${limit}; }
http {
  access_log off;
  upstream lobby { server 127.0.0.1:${lobbyPort}; keepalive 64; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://lobby;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
      proxy_read_timeout 300s;
    }
  }
}
`;
}

async function waitUntilAnswered(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => null,
    );
    // The lobby's own answer to a request that is no handshake.
    if (status === 426) return;
    await sleep(25);
  }
  throw new Error(`nginx did not pass requests on to the lobby from ${url} within 5 s.`);
}

function findWorker(pidFile: string): number {
  const main = readFileSync(pidFile, "utf8").trim();
  const children = readFileSync(`/proc/${main}/task/${main}/children`, "utf8").trim().split(" ");
  return Number(children[0]);
}
