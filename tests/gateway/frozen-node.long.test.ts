import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { call, type Installation, type Node, startInstallation } from "../cluster/nodes.ts";
import { isRunning, ownRange, testFolder } from "../runtime/driver.ts";
import { lobbyPids } from "../support/runtime-world.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { until } from "../support/services/redis.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { handshakeRefusal } from "./web-sockets.ts";

let installation: Installation;

beforeAll(async () => {
  await ensureServerBuilt();
  const { databaseUrl } = await freshDatabase("postgresql");
  const flags = [`--redis-prefix=frozen-${randomBytes(6).toString("hex")}`, `--lobby-root=${testFolder}`];
  // Only the second one runs lobbies.
  const flagsOf = (index: number, port: number) => [
    `--node-url=http://127.0.0.1:${port}`,
    ...(index === 0 ? ["--runtimes=external"] : [`--lobby-ports=${ownRange()}`]),
  ];
  installation = await startInstallation({ redisUrl: inject("redisUrl"), databaseUrl: databaseUrl!, flags, flagsOf });
}, 120_000);
afterAll(async () => {
  const folders = (installation?.nodes ?? []).map(({ dataDir }) => dataDir);
  const pids = folders.filter((folder) => existsSync(join(folder, "lobbies"))).flatMap(lobbyPids);
  await installation?.stop();
  for (const pid of pids.filter(isRunning)) process.kill(-pid, "SIGKILL");
});

/** Answers everything but `/slow`. */
const program = `
const { FOYER_API_ENDPOINT, FOYER_TOKEN, PORT } = process.env;
const answer = ({ url }, response) => url === "/slow" || response.end("hello");
require("node:http").createServer(answer).listen(PORT, () =>
  fetch(FOYER_API_ENDPOINT + "/matchmaker/lobbies/ready", { method: "POST", headers: { authorization: "Bearer " + FOYER_TOKEN } }));
`;

async function startLobby(node: Node): Promise<string> {
  const admin = (method: string, path: string, body?: unknown) =>
    call(node, method, path, node.server().adminToken, body);
  const { game_id } = await admin("POST", "/cloud/games", { display_name: "A Game", name_id: "game" });
  const runtime = { process: { command: "node", args: ["-e", program] } };
  const mode = { max_players: 2, runtime, ports: { web: { protocol: "http", routing: "gateway" } } };
  const config = { regions: { local: {} }, game_modes: { duel: mode } };
  const { version_id } = await admin("POST", `/cloud/games/${game_id}/versions`, { display_name: "1", config });
  const body = { display_name: "A Namespace", name_id: "prod", version_id };
  const { namespace_id } = await admin("POST", `/cloud/games/${game_id}/namespaces`, body);
  const { token } = await admin("POST", `/cloud/games/${game_id}/namespaces/${namespace_id}/tokens/public`);
  return (await call(node, "POST", "/matchmaker/lobbies/find", token, { game_modes: ["duel"] })).lobby.lobby_id;
}

test("[GW32] of a node whose process is stopped, what is asked for before and after is 502, and works when it goes on", async () => {
  const [near, frozen] = installation.nodes as [Node, Node];
  for (const { port } of installation.nodes) {
    await until("the node is ready", async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200);
  }
  const path = `/lobby/${await startLobby(frozen)}/web`;
  const ask = async (rest = "") => {
    const answer = await fetch(`http://127.0.0.1:${near.port}${path}${rest}`);
    return [answer.status, answer.status === 200 ? await answer.text() : (await answer.json()).code];
  };
  expect(await ask()).toEqual([200, "hello"]);

  const startedAt = performance.now();
  const took: Record<string, number> = {};
  const timed = async <T>(what: string, result: Promise<T>) => {
    const found = await result;
    took[what] = Math.round(performance.now() - startedAt);
    return found;
  };
  const before = timed("request before", ask("/slow"));
  // Behind the slow one on the way to the other node.
  expect(await ask()).toEqual([200, "hello"]);
  const unreachable = [502, "API_LOBBY_UNREACHABLE"];
  frozen.server().process.kill("SIGSTOP");
  try {
    // Waiting for the lobby would be 504 after 60 s.
    const after = [timed("request", ask()), timed("handshake", handshakeRefusal(near.port, path))];
    expect(await Promise.all([before, ...after])).toEqual([unreachable, unreachable, unreachable]);
    console.log("milliseconds until 502:", took);
  } finally {
    frozen.server().process.kill("SIGCONT");
  }
  await until("the lobby is reached again", async () => (await ask())[0] === 200);
}, 240_000);
