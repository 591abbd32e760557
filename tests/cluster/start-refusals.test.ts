import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureServerBuilt, startServer } from "../support/server.ts";
import { type RedisServer, startRedis } from "../support/services/redis.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let redis: RedisServer;
let databaseUrl: string;

beforeAll(async () => {
  await ensureServerBuilt();
  redis = await startRedis({ password: "right" });
  databaseUrl = (await freshDatabase("postgresql")).databaseUrl!;
}, 120_000);
afterAll(() => redis?.stop());

const secret = { FOYER_SECRET: "s".repeat(32) };

/** What a node says that does not start. */
async function refusalOf(flags: readonly string[], env = {}): Promise<string> {
  const server = await startServer(temporaryFolder(), flags, env).catch((error: Error) => error.message);
  if (typeof server === "string") return server;
  await server.kill();
  throw new Error("The node started.");
}

test("[RF13] a node does not start on an unsafe Redis, and says what is wrong and what fixes it", async () => {
  await redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu");
  await redis.ask("REPLICAOF", "127.0.0.1", "1");
  const said = await refusalOf([`--redis-url=${redis.url}`, `--database-url=${databaseUrl}`], secret);
  await redis.ask("REPLICAOF", "NO", "ONE");
  await redis.ask("CONFIG", "SET", "maxmemory-policy", "noeviction");
  expect(said).toMatch(/foyer: The configuration of Redis is unsafe:/);
  expect(said).toMatch(/allkeys-lfu.*CONFIG SET maxmemory-policy noeviction/);
  expect(said).toMatch(/is a replica: give FOYER_REDIS_URL the address of the primary/);
  expect(said).not.toContain("right");
});

test("[RF12] a node does not start with a wrong password, and does not show it", async () => {
  const wrong = redis.url.replace("right", "wr0ng");
  const said = await refusalOf([`--redis-url=${wrong}`, `--database-url=${databaseUrl}`], secret);
  expect(said).toContain("rejects the password in FOYER_REDIS_URL");
  expect(said).not.toContain("wr0ng");
});

test("[SC2] a node does not start while a node of 0.1.0 runs on its Redis, and starts when that one has stopped", async () => {
  const beat = async () => {
    const status = JSON.stringify({ regions: null, room: 3, instanceId: "older" });
    await redis.ask("HSET", "old:{nodes}:list", "node-1", `${Date.now()} ${status}`);
  };
  await beat();
  const timer = setInterval(() => void beat().catch(() => {}), 500);
  const flags = [`--redis-url=${redis.url}`, `--database-url=${databaseUrl}`, "--redis-prefix=old", "--node-id=node-2"];
  const said = await refusalOf(flags, secret).finally(() => clearInterval(timer));
  expect(said).toMatch(/An older version of Foyer runs .*\(node node-1\)\..*Stop all nodes of the older version first/);
  const server = await startServer(temporaryFolder(), flags, secret);
  await server.kill();
});

test("[RF18] a node does not start on Redis without PostgreSQL or without a secret", async () => {
  const said = await refusalOf([`--redis-url=${redis.url}`]);
  expect(said).toMatch(/redis_url needs database_url/);
  expect(said).toMatch(/redis_url needs secret/);
});
