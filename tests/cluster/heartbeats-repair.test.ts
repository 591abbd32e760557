import { afterEach, beforeAll, expect, test } from "vitest";
import { createNamespace, ensureServerBuilt } from "../support/server.ts";
import { type RedisServer, until } from "../support/services/redis.ts";
import { type RedisCluster, startCluster } from "../support/services/redis-cluster.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { auditNamespace } from "./audit.ts";
import { call, startInstallation } from "./nodes.ts";

beforeAll(ensureServerBuilt, 120_000);

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

test("[RF15] what a failover has lost is repaired by the lobby's heartbeats", { timeout: 240_000 }, async () => {
  const cluster = await startCluster();
  opened.push(() => cluster.stop());
  const { databaseUrl } = await freshDatabase("postgresql");
  const installation = await startInstallation({ redisUrl: cluster.url, databaseUrl: databaseUrl!, count: 1 });
  opened.push(() => installation.stop());
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
