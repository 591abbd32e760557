import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandScripts, nextDueScript } from "../../src/engine/redis/scripts.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { type RedisServer, startRedis, until } from "../support/services/redis.ts";
import { createWorld, rememberedMs, World } from "../support/world.ts";

closeAfterEach();

/** A server of its own: these tests count what happens on it. */
let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const patient = { timeout: 240_000 };

/** A link that tells of each question when something is next due. */
const counting = (note: () => void) => (link: RedisLink) => ({
  ...link,
  run(...args: Parameters<RedisLink["run"]>) {
    if (args[0] === nextDueScript) note();
    return link.run(...args);
  },
});

test("[RD16] namespaces in which nothing happens are not asked each time when something is next due there", async () => {
  let asked = 0;
  const wrap = counting(() => (asked += 1));
  const one = await openEngine(server.url, { wrap });
  const worlds = Array.from(
    { length: 10 },
    (_, at) => new World(underTest(one, server.url), `quiet-${at}`, { next: 0 }),
  );
  for (const world of worlds) await world.configure();
  const nextDueAt = async (at: number) => (await one.engine.read({ type: "namespaces" }))[at]!.nextDueAt;
  await until("the events are received", async () => {
    const before = asked;
    await nextDueAt(0);
    return asked === before;
  });
  const before = asked;
  for (let count = 0; count < 50; count++) expect(await nextDueAt(3)).toBeNull();
  expect(asked).toBe(before);

  // What happens here is known at once, what another node does when this one has received it.
  const { id } = await worlds[3]!.starting({ readyMs: 5000, isExternal: true });
  expect(await nextDueAt(3)).toBe(worlds[3]!.now + 5000);
  const other = await openEngine(server.url, { prefix: one.prefix });
  const elsewhere = new World(underTest(other, server.url), "quiet-3", { next: 100 });
  await elsewhere.stop(id);
  await until("it is known here", async () => (await nextDueAt(3)) === worlds[3]!.now + rememberedMs);
  expect(asked - before).toBeLessThan(20);
});

test(
  "[RD17] a namespace that a failover lost from the list is on it again when it is used, and repeats no event",
  patient,
  async () => {
    const one = await openEngine(server.url);
    const world = await createWorld(async () => underTest(one, server.url));
    world.isAudited = false;
    const received: string[] = [];
    const listening = (async () => {
      for await (const event of one.engine.events()) received.push(event.position!);
    })();
    const { id } = await world.ready({ isExternal: true });
    const list = `${one.prefix}:namespaces`;
    const looks = async () => Number(/cmdstat_smembers:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1] ?? 0);
    const looksBefore = await looks();
    await until("the node has looked for namespaces twice without finding it", async () => {
      await redis.srem(list, world.namespaceId);
      return (await looks()) >= looksBefore + 2 && received.length >= 2;
    });
    await world.setClosed(id);
    await until("it is listed again", async () => (await redis.sismember(list, world.namespaceId)) === 1);
    expect(await one.engine.read({ type: "namespaces" })).toHaveLength(1);

    // An unused namespace is listed again by a call that reads its counts.
    await redis.srem(list, world.namespaceId);
    await world.counts();
    await until("it is listed again", async () => (await redis.sismember(list, world.namespaceId)) === 1);
    await one.engine.close();
    await listening;
    expect(new Set(received).size).toBe(received.length);
    expect(received).toHaveLength(3);
  },
);

test("[RD17] a namespace that is made while another node finds that it is not there is listed when that is answered", async () => {
  const wrap = (link: RedisLink): RedisLink => ({
    ...link,
    async run(script, key, args) {
      const answer = await link.run(script, key, args);
      const list = key.replace(/:\{.*$/, ":namespaces");
      if (script === commandScripts.configure) await redis.srem(list, "made-again");
      return answer;
    },
  });
  const one = await openEngine(server.url, { wrap });
  await new World(underTest(one, server.url), "made-again", { next: 0 }).configure();
  expect(await one.engine.read({ type: "namespaces" })).toMatchObject([{ namespaceId: "made-again" }]);
});
