import { afterEach, beforeAll, expect, test } from "vitest";
import { createNamespace, ensureServerBuilt } from "../support/server.ts";
import { type RedisServer, until } from "../support/services/redis.ts";
import { moveSlot, type RedisCluster, startCluster } from "../support/services/redis-cluster.ts";
import { startSentinel } from "../support/services/redis-sentinel.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { auditNamespace } from "./audit.ts";
import { call, type Installation, startInstallation } from "./nodes.ts";
import { doubting, expectSafe, type Playing, startPlaying } from "./playing.ts";

beforeAll(ensureServerBuilt, 120_000);

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function installOn(redis: { readonly url: string; stop(): Promise<void> }): Promise<Installation> {
  opened.push(() => redis.stop());
  const { databaseUrl } = await freshDatabase("postgresql");
  const installation = await startInstallation({ redisUrl: redis.url, databaseUrl: databaseUrl! });
  opened.push(() => installation.stop());
  return installation;
}

/** As long before its death what a primary acknowledged may not have reached its replica. */
const lagMs = 1000;

/** Lets the primary die under load and judges what survived. */
async function surviveDeathOf(victim: RedisServer, playing: Playing, what: string): Promise<void> {
  await playing.more(500);
  const killedAt = performance.now();
  await victim.kill();
  await playing.more(300);
  const recoveredAt = playing.outage()?.untilMs ?? performance.now();
  await playing.more(800);
  console.log(`${what}: the last request was turned away ${Math.round(recoveredAt - killedAt)} ms after the kill`);
  expectSafe(doubting(await playing.end(), killedAt - lagMs, recoveredAt), what);
}

const patient = { timeout: 240_000 };

test(
  "[RF9] [I26] [I1] [I7] [I16] two nodes under load while the Cluster's primary of their namespace is killed",
  patient,
  async () => {
    const cluster = await startCluster();
    const playing = await startPlaying(await installOn(cluster), "cluster-kill");
    const victim = await cluster.primaryOf(`foyer:{${playing.namespaceId}}:ns`);
    await surviveDeathOf(victim, playing, "cluster primary killed");
    expect(await auditNamespace(cluster.url, playing.namespaceId)).toEqual([]);
  },
);

test(
  "[RF9] [I26] [I1] [I7] [I16] two nodes under load while the primary behind Sentinels is killed",
  patient,
  async () => {
    const group = await startSentinel();
    const playing = await startPlaying(await installOn(group), "sentinel-kill");
    await surviveDeathOf(await group.primary(), playing, "sentinel primary killed");
    expect(await auditNamespace(group.url, playing.namespaceId)).toEqual([]);
  },
);

test(
  "[RF8] [I26] [I1] [I7] [I16] two nodes under load while the slot of their namespace moves to another primary",
  patient,
  async () => {
    const cluster = await startCluster();
    const playing = await startPlaying(await installOn(cluster), "reshard");
    await playing.more(500);
    await moveSlot(cluster, `foyer:{${playing.namespaceId}}:ns`);
    await playing.more(500);
    expectSafe(await playing.end(), "slot moved");
    expect(await auditNamespace(cluster.url, playing.namespaceId)).toEqual([]);
  },
);

test("[RF15] what a failover has lost is repaired by the lobby's heartbeats", patient, async () => {
  const cluster = await startCluster();
  const installation = await installOn(cluster);
  const node = installation.nodes[0]!;
  const server = node.server();
  const limits = { lobby_count_max: 10, max_players: 10, max_players_per_client: null };
  const namespace = await createNamespace(server, "repair", { max_players: 4 }, limits);
  const ports = { default: { hostname: "localhost", port: 7000, is_tls: false } };
  const register = { game_mode: "duel", region: "local", ports };
  const lobby = await call(node, "POST", "/matchmaker/lobbies/register", namespace.serverToken, register);
  await call(node, "POST", "/matchmaker/lobbies/ready", lobby.token);
  const found = await call(node, "POST", "/matchmaker/lobbies/find", namespace.publicToken, { game_modes: ["duel"] });
  const [{ token: player_token, player_id }] = found.players;
  await call(node, "POST", "/matchmaker/players/connected", lobby.token, { player_token });
  const seen = async () => {
    const view = await server.admin("GET", `${namespace.path}/lobbies/${lobby.lobby_id}`);
    return { isClosed: view.lobby.is_closed, players: view.lobby.players.map((one: Player) => one.player_id) };
  };

  const victim = await cluster.primaryOf(`foyer:{${namespace.path.split("/").at(-1)}}:ns`);
  await cutOffReplicas(cluster, victim);
  await call(node, "POST", "/matchmaker/players/disconnected", lobby.token, { player_token });
  await call(node, "PUT", "/matchmaker/lobbies/closed", lobby.token, { is_closed: true });
  expect(await seen()).toEqual({ isClosed: true, players: [] });
  await victim.kill();
  await until("the replica has taken over", async () => (await seen()).players.length > 0);
  expect(await seen()).toEqual({ isClosed: false, players: [player_id] });

  // A player that is missing once may have crossed with a connect; missing twice it is gone.
  for (let beat = 0; beat < 2; beat++)
    await call(node, "POST", "/matchmaker/lobbies/heartbeat", lobby.token, { player_ids: [], is_closed: true });
  expect(await seen()).toEqual({ isClosed: true, players: [] });
  expect(await auditNamespace(cluster.url, namespace.path.split("/").at(-1)!)).toEqual([]);
});

interface Player {
  readonly player_id: string;
}

/** The replicas have everything so far, and nothing of what comes: with a wrong password they cannot connect. */
async function cutOffReplicas(cluster: RedisCluster, primary: RedisServer): Promise<void> {
  const offset = Number(await primary.info("master_repl_offset"));
  await until("the replica has everything", async () => {
    return Number(/offset=(\d+)/.exec((await primary.info("slave0")) ?? "")?.[1]) >= offset;
  });
  for (const server of cluster.servers) {
    if ((await server.info("master_port")) === String(primary.port))
      await server.ask("CONFIG", "SET", "masterauth", "wrong");
  }
  await primary.ask("CLIENT", "KILL", "TYPE", "replica");
  await until("no replica follows it", async () => (await primary.info("connected_slaves")) === "0");
}
