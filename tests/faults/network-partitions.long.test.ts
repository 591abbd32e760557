import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type Arena, arenaOf, createArena } from "../support/arena.ts";
import { type Child, serviceOf, startChild } from "../support/child.ts";
import { until } from "../support/harness.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { type Cable, openNetwork, openRelay } from "../support/services/network.ts";
import { startRedis } from "../support/services/redis.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const patient = { timeout: 300_000 };
/** Bounded means: well before the time-out of the test, also on a busy machine. */
const boundMs = 60_000;
const seats = 60;
const port = 7101;

beforeAll(ensureServerBuilt, 120_000);

/** A lobby server that listens on its port, says so in its log, and is ready. */
const lobbyProgram = `
const { FOYER_API_ENDPOINT, FOYER_TOKEN, PORT, HOST } = process.env;
require("node:http").createServer((_, answer) => answer.end("hello")).listen(PORT, HOST ?? "127.0.0.1", () => {
  console.log("the lobby listens");
  fetch(FOYER_API_ENDPOINT + "/matchmaker/lobbies/ready", { method: "POST", headers: { authorization: "Bearer " + FOYER_TOKEN } });
});`;

const timeouts = { heartbeat_s: 0, reservation_s: 600 };
const web = {
  ports: { web: { protocol: "http", routing: "gateway" } },
  runtime: { process: { command: process.execPath, args: ["-e", lobbyProgram] } },
};
const version = {
  regions: { local: {} },
  game_modes: {
    duel: { max_players: seats, timeouts, runtime: { external: {} } },
    match: { max_players: 4, timeouts, actions: { create: { enabled: true } }, ...web },
  },
};

interface World {
  readonly a: Child;
  readonly b: Child;
  readonly onA: Arena;
  readonly onB: Arena;
  /** Between node a and Redis, and between the two nodes. */
  readonly aToRedis: Cable;
  readonly aToB: Cable;
}

/** Two nodes, each on a machine of its own. Only node a runs lobbies. */
async function openWorld(): Promise<World> {
  const network = await openNetwork(["a", "b"]);
  onTestFinished(() => network.remove());
  const aToRedis = await network.connect("a", null);
  const aToHost = await network.connect("a", null);
  const bToHost = await network.connect("b", null);
  const aToB = await network.connect("a", "b");
  const bind = ["--bind", "127.0.0.1", aToRedis.other, bToHost.other, "--protected-mode", "no"];
  const redis = await startRedis({ more: bind });
  onTestFinished(() => redis.stop());
  const { databaseUrl } = await freshDatabase("redis");

  async function start(nodeId: string, host: Cable, redisAddress: string, nodeAddress: string, flags: string[]) {
    const database = new URL(databaseUrl!);
    const relay = await openRelay(host.other, Number(database.port));
    onTestFinished(() => relay.close());
    database.host = `${host.other}:${relay.port}`;
    const rates = ["address", "find", "create", "seats", "list", "lobby", "server", "cloud", "pages"];
    const settings = [
      ...["--host=0.0.0.0", `--port=${port}`, `--node-id=${nodeId}`, "--node-grace-s=600", ...flags],
      ...[`--redis-url=redis://${redisAddress}:${redis.port}`, `--database-url=${database.href}`],
      ...[
        `--node-url=http://${nodeAddress}:${port}`,
        "--lobby-creation-budget=0",
        ...rates.map((rate) => `--rate-${rate}=0`),
      ],
    ];
    const dataDir = temporaryFolder();
    const place = {
      within: network.on(nodeId),
      url: `http://${host.address}:${port}`,
      env: { FOYER_SECRET: "s".repeat(32) },
    };
    const child = await startChild(dataDir, settings, [], place);
    onTestFinished(async () => {
      child.process.kill("SIGKILL");
      await child.ended;
    });
    return child;
  }

  const a = await start("a", aToHost, aToRedis.other, aToB.address, []);
  const b = await start("b", bToHost, bToHost.other, aToB.other, ["--runtimes=external"]);
  const onA = await createArena(serviceOf(a, ""), version);
  await onA.limit({ max_players: 1000, max_players_per_client: null });
  const onB = arenaOf(serviceOf(b, ""), onA.namespace, onA);
  // Added last, so that it runs first: nothing may be left of the partition when the nodes stop.
  onTestFinished(async () => {
    await aToRedis.heal();
    await aToB.heal();
  });
  return { a, b, onA, onB, aToRedis, aToB };
}

const readyOf = async (node: Child) => (await node.client.request("GET", "/readyz")).status;

/** The answer, which must come within the bound. */
async function bounded<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`There was no answer within ${boundMs} ms.`)), boundMs);
  });
  return Promise.race([asked, tooLate]).finally(() => clearTimeout(timer));
}

test(
  "[FA4] [RD11] a node whose packets to Redis are dropped is 503; others find exactly; afterwards it continues, and nothing it refused happens",
  patient,
  async () => {
    const { a, b, onA, onB, aToRedis } = await openWorld();
    const lobby = await onB.ready();
    const lobbyOnA = onA.lobby(lobby.lobbyId, lobby.token);
    const players = new Set<string>();
    async function take(arena: Arena): Promise<number> {
      const { status, json } = await bounded(arena.find());
      if (status === 200) {
        expect(players.has(json.player.token)).toBe(false);
        players.add(json.player.token);
      }
      return status;
    }
    for (const arena of [onA, onB, onA, onB]) await until(async () => (await take(arena)) === 200);

    await aToRedis.cut();
    const refused = Promise.all([take(onA), take(onA), lobbyOnA.setClosed(true).then(({ status }) => status)]);
    for (let i = 0; i < 10; i++) expect(await take(onB)).toBe(200);
    expect(await bounded(refused)).toEqual([503, 503, 503]);
    await until(async () => (await readyOf(a)) === 503);
    expect((await a.client.request("GET", "/healthz")).status).toBe(200);
    expect(await take(onA)).toBe(503);
    expect(await take(onB)).toBe(200);
    expect(await readyOf(b)).toBe(200);
    expect((await lobby.seen()).reserved_count).toBe(players.size);

    await aToRedis.heal();
    await until(async () => (await readyOf(a)) === 200);
    await until(async () => (await take(onA)) === 200);
    expect(await lobbyOnA.seen()).toMatchObject({ reserved_count: players.size, is_closed: false });

    // Both nodes give out the rest together: every seat once.
    const asks = Array.from({ length: seats + 10 }, (_, i) => take(i % 2 === 0 ? onA : onB));
    await Promise.all(asks);
    await until(async () => (await take(onA)) !== 200 && (await take(onB)) !== 200);
    expect(players.size).toBe(seats);
    expect(await lobby.seen()).toMatchObject({ reserved_count: seats, is_closed: false });
    expect(a.process.exitCode).toBeNull();
  },
);

test(
  "[FA6] [GW30] nodes that cannot reach each other find, join and read logs as before; only players through the other node get 502",
  patient,
  async () => {
    const { a, b, onA, onB, aToRedis, aToB } = await openWorld();
    await onB.ready();
    const created = await onA.create({ region: "local" });
    expect(created.status).toBe(200);
    const lobbyId: string = created.json.lobby.lobby_id;
    const visit = () => bounded(b.client.request("GET", `/lobby/${lobbyId}/web`));
    const logs = () =>
      bounded(b.client.request("GET", `${onB.namespace.path}/lobbies/${lobbyId}/logs`, { token: b.client.adminToken }));
    const nodeIds = async (node: Child) =>
      (await node.client.admin("GET", "/cloud/nodes")).nodes.map(({ node_id }: { node_id: string }) => node_id).sort();
    await until(async () => (await visit()).text === "hello");

    await aToB.cut();
    const unreachable = await visit();
    expect([unreachable.status, unreachable.json.code]).toEqual([502, "API_LOBBY_UNREACHABLE"]);
    expect(b.output()).toContain(`"node_url":"http://${aToB.address}:${port}"`);
    for (const arena of [onA, onB]) expect((await bounded(arena.find())).status).toBe(200);
    expect((await bounded(onB.join(lobbyId))).status).toBe(200);
    expect((await logs()).json.text).toContain("the lobby listens");
    for (const node of [a, b]) expect(await nodeIds(node)).toEqual(["a", "b"]);
    await aToB.heal();
    await until(async () => (await visit()).status === 200);

    // Now node a is silent: calls to it end and name it, as long as it counts as running and afterwards.
    await aToRedis.cut();
    const isNamed = async () => {
      const { status, json } = await logs();
      return status === 503 && json.message.includes('Node "a"');
    };
    await until(isNamed);
    await until(async () => (await nodeIds(b)).length === 1);
    expect(await isNamed()).toBe(true);
    expect((await bounded(onB.find())).status).toBe(200);
    await aToRedis.heal();
    await until(async () => (await logs()).json.text?.includes("the lobby listens") === true);
    expect(await nodeIds(b)).toEqual(["a", "b"]);
  },
);
