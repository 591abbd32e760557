import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pickLobbies } from "../../src/engine/pick-lobbies.ts";
import { createHearing } from "../../src/engine/redis/hearing.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { auditNamespace } from "../support/redis-audit.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { type RedisServer, startRedis } from "../support/services/redis.ts";
import { createWorld } from "../support/world.ts";

closeAfterEach();

/** A server of its own: these tests change what is on it. */
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

test("[RD19] the lobbies of a node are found in what an earlier Foyer wrote, which has no lists of them", async () => {
  await redis.flushall();
  const one = await openEngine(server.url);
  const world = await createWorld(async () => underTest(one, server.url), { lobbyCountMax: 5000 });
  const nodeIds = ["mine", "theirs"];
  const placed: string[] = [];
  for (let i = 0; i < 6; i++) {
    const { id } = await world.starting();
    await world.execute({ type: "placeLobby", lobbyId: id, nodeId: nodeIds[i % 2]! });
    if (i % 2 === 0) placed.push(id);
  }
  const stem = `${one.prefix}:{${world.namespaceId}}:`;
  expect(await redis.hdel(`${stem}ns`, "hasNodeIndex")).toBe(1);
  expect(await redis.del(...nodeIds.map((nodeId) => `${stem}n:${nodeId}`))).toBe(2);
  const found: string[] = [];
  for await (const lobby of pickLobbies(one.engine, world.namespaceId, () => world.now, { nodeId: "mine" })) {
    found.push(lobby.lobbyId);
  }
  expect(found).toEqual(placed.sort());
  expect(await auditNamespace(one.link, one.prefix, world.namespaceId)).toEqual([]);
});

test("[RD20] a timer of nothing, or of an unknown kind, is dropped and keeps no namespace from its work", async () => {
  await redis.flushall();
  const one = await openEngine(server.url);
  const world = await createWorld(async () => underTest(one, server.url));
  const { id } = await world.ready();
  const timers = `${one.prefix}:{${world.namespaceId}}:timers`;
  const nothing = "00000000-0000-7000-8000-00000000dead";
  for (const kind of ["0", "1", "2", "9"]) await redis.zadd(timers, "1", `${kind}${nothing}`);
  await world.pass(0);
  expect(await world.lobby(id)).toMatchObject({ status: "ready" });
  expect((await redis.zrange(timers, "0", "-1")).filter((member) => member.endsWith(nothing))).toEqual([]);
});

test("[RD7] a report of this node whose answer was lost is not taken for that of another node", async () => {
  await redis.flushall();
  const { link } = await openEngine(server.url);
  // The first answer is lost, so it is sent again.
  const losing: RedisLink = {
    ...link,
    async run(script, key, args, giveUpAt) {
      await link.run(script, key, args, giveUpAt);
      return link.run(script, key, args, giveUpAt);
    },
  };
  const alone = createHearing(losing, "alone");
  await alone.start();
  expect((await alone.again()).isAmongOthers).toBe(false);
  const other = createHearing(link, "alone");
  await other.start();
  expect((await other.again()).isAmongOthers).toBe(true);
  expect((await alone.again()).isAmongOthers).toBe(true);
  await Promise.all([alone.close(), other.close()]);
});
