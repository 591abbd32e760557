import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { isRunning, ownRange, testFolder } from "../runtime/driver.ts";
import { lobbyPids, lobbyVersion } from "../support/runtime-world.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { until } from "../support/services/redis.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { call, type Installation, type Node, request, startInstallation } from "./nodes.ts";

let installation: Installation;

beforeAll(async () => {
  await ensureServerBuilt();
  const { databaseUrl } = await freshDatabase("postgresql");
  // No call waits long, and a lost node keeps its lobbies for as long as the test takes.
  const waits = ["--find-wait-s=15", "--node-grace-s=600"];
  const flags = [`--redis-prefix=killed-${randomBytes(6).toString("hex")}`, `--lobby-root=${testFolder}`, ...waits];
  const flagsOf = (index: number) => [`--lobby-ports=${ownRange(index)}`, `--max-lobby-processes=${100 + index * 50}`];
  installation = await startInstallation({ redisUrl: inject("redisUrl"), databaseUrl: databaseUrl!, flags, flagsOf });
}, 120_000);
afterAll(async () => {
  const folders = (installation?.nodes ?? []).map(({ dataDir }) => dataDir);
  const pids = folders.filter((folder) => existsSync(join(folder, "lobbies"))).flatMap(lobbyPids);
  await installation?.stop();
  for (const pid of pids.filter(isRunning)) process.kill(-pid, "SIGKILL");
});

/** A new game of lobbies that Foyer starts. */
async function createGame(node: Node, mode: object, env: Record<string, string> = {}) {
  const { adminToken } = node.server();
  const admin = (method: string, path: string, body?: unknown) => call(node, method, path, adminToken, body);
  const name_id = `game-${randomBytes(4).toString("hex")}`;
  const { game_id } = await admin("POST", "/cloud/games", { display_name: "A Game", name_id });
  const version = { display_name: "A Version", config: lobbyVersion(mode, env) };
  const { version_id } = await admin("POST", `/cloud/games/${game_id}/versions`, version);
  const namespace = { display_name: "A Namespace", name_id: "prod", version_id };
  const { namespace_id } = await admin("POST", `/cloud/games/${game_id}/namespaces`, namespace);
  const path = `/cloud/games/${game_id}/namespaces/${namespace_id}`;
  const { token } = await admin("POST", `${path}/tokens/public`);
  return { lobbies: async () => (await admin("GET", `${path}/lobbies`)).lobbies as { lobby_id: string }[], token };
}

const isReady = async (node: Node) => (await fetch(`http://127.0.0.1:${node.port}/readyz`)).status === 200;

test("[ND20] [ND21] [14] of two nodes one is killed: every find right after it gets a seat on the other, and no lobby is made twice", {
  timeout: 240_000,
}, async () => {
  // Each of them twice: the one with more room, where lobbies would go, and the one that may have the lease.
  for (const victim of [1, 0, 1, 0]) {
    const killed = installation.nodes[victim]!;
    const left = installation.nodes[1 - victim]!;
    for (const node of installation.nodes) await until("the node is ready", () => isReady(node));
    const { token, lobbies } = await createGame(left, { max_players: 7 });
    await killed.kill();
    const body = { game_modes: ["duel"] };
    const find = () => request(left, "POST", "/matchmaker/lobbies/find", token, body);
    const answers = await Promise.all(Array.from({ length: 14 }, find));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }, at) => (status === 200 ? 200 : texts[at]))).toEqual(Array(14).fill(200));
    expect(await lobbies()).toHaveLength(2);
    await killed.start();
  }
});

test("[ND22] finds that wait for a lobby whose node is killed before it is ready get their seats where it is started again", {
  timeout: 120_000,
}, async () => {
  const [left, killed] = installation.nodes as [Node, Node];
  for (const node of installation.nodes) await until("the node is ready", () => isReady(node));
  const { token, lobbies } = await createGame(left, { max_players: 7 }, { READY_AT_PORT: String(left.port) });
  const find = () => request(left, "POST", "/matchmaker/lobbies/find", token, { game_modes: ["duel"] });
  const before = lobbyPids(killed.dataDir);
  const begun = () => lobbyPids(killed.dataDir).filter((pid) => !before.includes(pid));
  const waiting = Promise.all(Array.from({ length: 7 }, find));
  await until("its server was started", () => begun().length === 1);
  const [pid] = begun();
  await killed.kill();
  expect((await waiting).map(({ status }) => status)).toEqual(Array(7).fill(200));
  expect(await lobbies()).toHaveLength(1);
  // The server that it left running no longer speaks for the lobby.
  const oldToken = /(?:^|\0)FOYER_TOKEN=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, "utf8"))![1]!;
  for (const path of ["ready", "stop"]) {
    expect((await request(left, "POST", `/matchmaker/lobbies/${path}`, oldToken)).status).toBe(410);
  }
  expect(await lobbies()).toMatchObject([{ status: "ready" }]);
  await killed.start();
  // What it had started is not the lobby any more.
  await until("its server is stopped", () => !isRunning(pid!));
  expect(await lobbies()).toHaveLength(1);
});

test("[ND20] a node that is frozen while a lobby is offered to it does not start it when it resumes", {
  timeout: 120_000,
}, async () => {
  const [small, large] = installation.nodes as [Node, Node];
  for (const node of installation.nodes) await until("the node is ready", () => isReady(node));
  const running = () => installation.nodes.map(({ dataDir }) => lobbyPids(dataDir).filter(isRunning).length);
  const { token, lobbies } = await createGame(small, { max_players: 1 });
  const before = running();
  const find = () => request(small, "POST", "/matchmaker/lobbies/find", token, { game_modes: ["duel"] });
  large.server().process.kill("SIGSTOP");
  const answers = await Promise.all(Array.from({ length: 4 }, find)).finally(() =>
    large.server().process.kill("SIGCONT"),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await until("the node is ready", () => isReady(large));
  // What was offered to it is taken, or not, before what comes later.
  expect((await find()).status).toBe(200);
  expect(await lobbies()).toHaveLength(5);
  const after = running();
  expect(after[0]! + after[1]! - before[0]! - before[1]!).toBe(5);
});
