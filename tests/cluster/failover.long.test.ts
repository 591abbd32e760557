import { afterEach, beforeAll, expect, test } from "vitest";
import { ensureServerBuilt } from "../support/server.ts";
import type { RedisServer } from "../support/services/redis.ts";
import { moveSlot, startCluster } from "../support/services/redis-cluster.ts";
import { startSentinel } from "../support/services/redis-sentinel.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { auditNamespace } from "./audit.ts";
import { type Installation, startInstallation } from "./nodes.ts";
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
