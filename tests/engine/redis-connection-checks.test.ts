import { afterEach, expect, inject, test } from "vitest";
import { openRedis } from "../../src/redis/connection.ts";
import type { RedisConnection } from "../../src/redis/interface.ts";
import { checkRedis, UnsafeRedis } from "../../src/redis/safety-checks.ts";
import { type RedisSetup, startRedis } from "../support/services/redis.ts";
import { startSentinel } from "../support/services/redis-sentinel.ts";
import { listeningLog } from "./redis-counting.ts";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function open(url: string): Promise<RedisConnection> {
  const link = await openRedis({ url, log: listeningLog().log });
  opened.push(() => link.close());
  return link;
}

async function start(setup: RedisSetup) {
  const server = await startRedis(setup);
  opened.push(() => server.stop());
  return server;
}

/** What the check refuses, and what it warns of, each as the texts. */
async function verdict(
  link: RedisConnection,
  now = Date.now,
): Promise<{ refused: readonly string[]; warned: string[] }> {
  const { log, lines } = listeningLog();
  const refused = await checkRedis(link, now, log).then(
    () => [],
    (error: unknown) => {
      if (error instanceof UnsafeRedis) return error.issues;
      throw error;
    },
  );
  return { refused, warned: lines.map((line) => JSON.parse(line).msg) };
}

test("[RF13] a safe set-up is accepted without a warning", async () => {
  const { url } = await start({ appendfsync: "always" });
  expect(await verdict(await open(url))).toEqual({ refused: [], warned: [] });
});

test("[RF13] a server that evicts keys when memory is short is refused, with the command that fixes it", async () => {
  const server = await start({ appendfsync: "always", more: ["--maxmemory-policy", "allkeys-lru"] });
  const link = await open(server.url);
  const { refused } = await verdict(link);
  expect(refused).toEqual([
    expect.stringMatching(/maxmemory-policy allkeys-lru.*CONFIG SET maxmemory-policy noeviction/s),
  ]);
  await server.ask("CONFIG", "SET", "maxmemory-policy", "noeviction");
  expect((await verdict(link)).refused).toEqual([]);
});

test("[RF13] where CONFIG is forbidden the check works all the same", async () => {
  const { url } = await start({ appendfsync: "always", more: ["--rename-command", "CONFIG", ""] });
  expect(await verdict(await open(url))).toEqual({ refused: [], warned: [] });
});

test("[RF13] a replica is refused, and the primary named", async () => {
  const primary = await start({});
  const replica = await start({ more: ["--replicaof", `127.0.0.1 ${primary.port}`] });
  expect((await verdict(await open(replica.url))).refused).toEqual([
    expect.stringContaining(
      `is a replica: give FOYER_REDIS_URL the address of the primary (127.0.0.1:${primary.port})`,
    ),
  ]);
});

test.each([
  // What the way there and back takes is taken off.
  [3000, /(2\.\d|3\.0) s behind/],
  [-3000, /(2\.\d|3\.0) s ahead of/],
])("[RF13] a clock that is %s ms off is refused", async (offset, words) => {
  const link = await open(inject("redisUrl"));
  expect((await verdict(link, () => Date.now() + offset)).refused).toEqual([expect.stringMatching(words)]);
});

test("[RF13] a clock that is half a second off is not", async () => {
  const link = await open(inject("redisUrl"));
  for (const offset of [-500, 500]) expect((await verdict(link, () => Date.now() + offset)).refused).toEqual([]);
});

test("[RF13] an old server is refused by the version it reports", async () => {
  const link = await open(inject("redisUrl"));
  const [real] = link.primaries();
  const described = { redis_version: "6.2.14", maxmemory_policy: "noeviction", role: "master" };
  const info = Object.entries(described).map(([field, value]) => `${field}:${value}`);
  const old: RedisConnection = {
    ...link,
    primaries: () => [
      { name: "old:6379", ask: async (...all) => (all[0] === "INFO" ? info.join("\r\n") : real!.ask(...all)) },
    ],
  };
  expect((await verdict(old)).refused).toEqual([
    "Redis at old:6379 has version 6.2.14; Foyer needs 7.0 or later: upgrade it.",
  ]);
});

test("[RF13] every problem is listed", async () => {
  const server = await start({ more: ["--maxmemory-policy", "volatile-ttl", "--replicaof", "127.0.0.1 1"] });
  const link = await open(server.url);
  const { refused } = await verdict(link, () => Date.now() + 3000);
  expect(refused).toHaveLength(3);
  await expect(checkRedis(link, () => Date.now() + 3000, listeningLog().log)).rejects.toThrow(
    /configuration of Redis is unsafe:\n {2}- .*volatile-ttl.*\n {2}- .*replica.*\n {2}- .*clock/s,
  );
});

test("[RF13] each primary of a Cluster is looked at", async () => {
  const link = await open(inject("redisClusterUrl"));
  expect(link.primaries()).toHaveLength(3);
  expect((await verdict(link)).refused).toEqual([]);
  expect((await verdict(link, () => Date.now() + 3000)).refused).toHaveLength(3);
});

test("[RF13] behind Sentinels the primary is looked at", async () => {
  const group = await startSentinel({ appendfsync: "always" });
  opened.push(() => group.stop());
  expect(await verdict(await open(group.url))).toEqual({ refused: [], warned: [] });
});

test.each([
  [null, /has no append-only file.*CONFIG SET appendonly yes/s],
  ["everysec", /appendfsync everysec.*two seconds.*CONFIG SET appendfsync always/s],
] as const)("[RF14] what a crash can lose is said in the log: appendfsync %s", async (appendfsync, words) => {
  const { url } = await start({ appendfsync });
  expect(await verdict(await open(url))).toEqual({ refused: [], warned: [expect.stringMatching(words)] });
});
