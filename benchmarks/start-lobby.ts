import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bearer, send } from "./requests.ts";
import { serveFoyer } from "./server-process.ts";
import { markdownTable } from "./table.ts";

export const question =
  "How long does a find take that has to start a lobby, compared with starting its program by hand?";

const rounds = 15;
const warmUpRounds = 3;
const program = fileURLToPath(new URL("ready-lobby.mjs", import.meta.url));

/** In turn: the program by hand until it has said ready, and a find until its answer. Each find needs a new lobby. */
export async function run(options: { isLong: boolean }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-bench-"));
  const foyer = await serveFoyer(folder);
  const ear = createServer().listen(0, "127.0.0.1");
  await once(ear, "listening");
  try {
    const { find, stop } = await makeNamespace(foyer.url, readFileSync(join(folder, "admin-token"), "utf8").trim());
    const byHand: number[] = [];
    const found: number[] = [];
    const count = options.isLong ? rounds * 3 : rounds;
    for (let round = -warmUpRounds; round < count; round++) {
      const times = { byHand: 0, found: 0 };
      const ways = [
        async () => {
          times.byHand = await startByHand(ear);
        },
        async () => {
          const startedAt = performance.now();
          const lobbyId = await find();
          times.found = performance.now() - startedAt;
          await stop(lobbyId);
        },
      ];
      // Neither always comes after the other, whose traces it may have to pay for.
      for (const way of round % 2 === 0 ? ways : ways.reverse()) await way();
      if (round < 0) continue;
      byHand.push(times.byHand);
      found.push(times.found);
    }
    const base = medianOf(byHand);
    const row = (name: string, times: number[]) => [
      name,
      medianOf(times).toFixed(1),
      Math.min(...times).toFixed(1),
      Math.max(...times).toFixed(1),
      (medianOf(times) / base).toFixed(2),
    ];
    const rows = [row("the program by hand, until it says ready", byHand), row("find, until its answer", found)];
    const head = ["start", "median ms", "least", "most", "ratio"];
    return `${count} interleaved rounds, one after the other\n\n${markdownTable(head, rows)}`;
  } finally {
    ear.close();
    await foyer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startByHand(ear: Server): Promise<number> {
  const { port } = ear.address() as AddressInfo;
  const env = { PATH: process.env.PATH, FOYER_API_ENDPOINT: `http://127.0.0.1:${port}`, FOYER_TOKEN: "by-hand" };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program], { env, detached: true, stdio: "ignore" });
  const [, response] = await once(ear, "request");
  const ms = performance.now() - startedAt;
  response.writeHead(204).end();
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  return ms;
}

/** A namespace whose lobbies have one seat, so that no find fits into the lobby of another. */
async function makeNamespace(url: string, adminToken: string) {
  const admin = bearer(adminToken);
  const post = async (path: string, body: unknown) =>
    JSON.parse((await send("POST", `${url}${path}`, admin, body)).body) as Record<string, string>;
  const processRuntime = { command: process.execPath, args: [program] };
  const mode = { max_players: 1, ports: { default: { lazy: true } }, runtime: { process: processRuntime } };
  await post("/cloud/games", { display_name: "Bench", name_id: "bench" });
  const config = { regions: { local: {} }, game_modes: { duel: mode } };
  const { version_id } = await post("/cloud/games/bench/versions", { display_name: "1", config });
  await post("/cloud/games/bench/namespaces", { display_name: "Prod", name_id: "prod", version_id });
  const namespace = "/cloud/games/bench/namespaces/prod";
  const { token } = await post(`${namespace}/tokens/public`, {});
  return {
    async find(): Promise<string> {
      const answer = await send("POST", `${url}/matchmaker/lobbies/find`, bearer(token!), { game_modes: ["duel"] });
      return (JSON.parse(answer.body) as { lobby: { lobby_id: string } }).lobby.lobby_id;
    },
    /** Until its process has ended, so that it does not disturb the next one. */
    async stop(lobbyId: string): Promise<void> {
      const path = `${url}${namespace}/lobbies/${lobbyId}`;
      await fetch(path, { method: "DELETE", headers: { authorization: admin.authorization! } });
      for (;;) {
        const { lobby } = (await (await fetch(path, { headers: admin })).json()) as { lobby: Record<string, unknown> };
        if (lobby.exit_signal !== null || lobby.exit_code !== null) return;
        await sleep(5);
      }
    },
  };
}

function medianOf(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
