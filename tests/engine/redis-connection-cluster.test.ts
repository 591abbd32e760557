import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openRedis } from "../../src/redis/connection.ts";
import type { RedisConnection } from "../../src/redis/interface.ts";
import { until } from "../support/services/redis.ts";
import { moveSlot, type RedisCluster, startCluster } from "../support/services/redis-cluster.ts";
import { startSentinel } from "../support/services/redis-sentinel.ts";
import { audit, listeningLog, script, startCounting } from "./redis-counting.ts";

const echo = script("echo", "#!lua\nreturn ARGV[1]");
const clean = { twice: [], miscounted: [], lost: 0, nobodys: [] };
const safe = { twice: [], miscounted: [], nobodys: [] };

/** Enough namespaces for every primary to have some. */
const keysOf = (run: string) => Array.from({ length: 9 }, (_, index) => `foyer:{${run}-${index}}:ns`);

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function open(url: string): Promise<{ link: RedisConnection; lines: string[] }> {
  const { log, lines } = listeningLog();
  const link = await openRedis({ url, log });
  opened.push(() => link.close());
  return { link, lines };
}

describe("a Cluster", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  test("[RF8] a plain address of one of its servers is enough", async () => {
    const { link } = await open(cluster.servers[4]!.url);
    expect(link.kind).toBe("cluster");
    for (const key of keysOf("plain")) expect(await link.run(echo, key, [key])).toBe(key);
  });

  test("[RF2] an emptied script cache on every server is filled by the calls that meet it", async () => {
    const { link } = await open(cluster.url);
    const keys = keysOf("flush");
    const counting = startCounting(link, keys, { actors: 18 });
    for (let flush = 0; flush < 5; flush++) {
      await counting.more(200);
      await Promise.all(cluster.servers.map((server) => server.ask("SCRIPT", "FLUSH")));
    }
    const counted = await counting.stop();
    expect(counted.givenUp.size).toBe(0);
    expect(await audit(link, keys, counted)).toEqual({ ...clean, afterGivenUp: 0 });
  });

  test("[RF8] a slot that moves under load: no script ever sees half of it, and everything is there afterwards", async () => {
    const { link } = await open(cluster.url);
    const keys = keysOf("move").slice(0, 3);
    const counting = startCounting(link, keys);
    await counting.more(300);
    const to = await moveSlot(cluster, keys[0]!);
    await counting.more(300);
    const counted = await counting.stop();
    expect(await audit(link, keys, counted)).toMatchObject(clean);
    expect((await cluster.primaryOf(keys[0]!)).port).toBe(to.port);
  });

  test("[RF9] [RF10] a primary is killed under load: a replica takes over, nothing happens twice, listeners receive again", async () => {
    const { link, lines } = await open(cluster.url);
    const keys = keysOf("kill");
    const received: string[] = [];
    await link.subscribe(
      "foyer:events",
      (message) => received.push(message),
      () => received.push("gap"),
    );
    const counting = startCounting(link, keys, { actors: 18 });
    await counting.more(500);
    const victim = await cluster.primaryOf(keys[0]!);
    const killedAt = performance.now();
    await victim.kill();
    await until("its namespaces are served again", async () => {
      return (await link.run(echo, keys[0]!, ["served"])) === "served";
    });
    console.log(`cluster: served again ${Math.round(performance.now() - killedAt)} ms after its primary was killed`);
    await counting.more(500);
    const counted = await counting.stop();
    const result = await audit(link, keys, counted);
    console.log(`cluster: ${counted.acknowledged.size} acknowledged, ${result.lost} of them lost by the failover`);
    expect(result).toMatchObject(safe);
    await link.call("PUBLISH", "foyer:events", ["after"]);
    await until("the listener receives", async () => {
      await link.call("PUBLISH", "foyer:events", ["again"]);
      return received.includes("again");
    });
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    await victim.start();
    await cluster.settled();
  });

  test("[RF9] a primary is frozen until a replica has taken over, then thawed: it refuses, and nothing happens twice", async () => {
    const { link } = await open(cluster.url);
    const keys = keysOf("freeze");
    const counting = startCounting(link, keys, { actors: 18, lateAfterMs: 3000 });
    await counting.more(300);
    const victim = await cluster.primaryOf(keys[0]!);
    victim.freeze();
    await until("a replica has taken over", async () => (await cluster.primaryOf(keys[0]!)).port !== victim.port);
    await counting.more(300);
    victim.thaw();
    await cluster.settled();
    await counting.more(300);
    const counted = await counting.stop();
    const result = await audit(link, keys, counted);
    console.log(`cluster: frozen primary, ${counted.givenUp.size} given up, ${result.lost} acknowledged were lost`);
    expect(result).toMatchObject(safe);
  });

  test("[RF9] most primaries are gone: calls are answered that it is not available, and served when they are back", async () => {
    const { link } = await open(cluster.url);
    const keys = keysOf("down");
    const counting = startCounting(link, keys);
    await counting.more(100);
    await cluster.settled();
    const primaries = await cluster.primaries();
    for (const server of primaries.slice(0, 2)) server.freeze();
    await counting.moreGivenUp(12);
    for (const server of primaries) server.thaw();
    await cluster.settled();
    await counting.more(200);
    expect(await audit(link, keys, await counting.stop())).toMatchObject(safe);
  });
});

describe("Sentinels", () => {
  test("[RF9] the primary is killed under load: the Sentinels' new one is used, nothing happens twice", async () => {
    const group = await startSentinel({ password: "secret" });
    opened.push(() => group.stop());
    const { link, lines } = await open(group.url);
    expect(link.kind).toBe("sentinel");
    const keys = keysOf("sentinel").slice(0, 2);
    const received: string[] = [];
    await link.subscribe(
      "foyer:events",
      (message) => received.push(message),
      () => received.push("gap"),
    );
    const counting = startCounting(link, keys);
    await counting.more(300);
    const victim = await group.primary();
    const killedAt = performance.now();
    await victim.kill();
    await counting.more(300);
    console.log(`sentinel: served again within ${Math.round(performance.now() - killedAt)} ms of its primary's death`);
    const counted = await counting.stop();
    const result = await audit(link, keys, counted);
    console.log(`sentinel: ${counted.acknowledged.size} acknowledged, ${result.lost} of them lost by the failover`);
    expect(result).toMatchObject(safe);
    expect((await group.primary()).port).not.toBe(victim.port);
    await until("the listener receives", async () => {
      await link.call("PUBLISH", "foyer:events", ["again"]);
      return received.includes("again");
    });
    expect(received[0]).toBe("gap");
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
