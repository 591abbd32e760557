import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureServerBuilt } from "../support/server.ts";
import { type RedisServer, startRedis, until } from "../support/services/redis.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { auditNamespace } from "./audit.ts";
import { type Installation, startInstallation } from "./nodes.ts";
import { expectSafe, startPlaying } from "./playing.ts";

let redis: RedisServer;
let installation: Installation;

beforeAll(async () => {
  await ensureServerBuilt();
  redis = await startRedis({ appendfsync: "always" });
  const { databaseUrl } = await freshDatabase("postgresql");
  installation = await startInstallation({ redisUrl: redis.url, databaseUrl: databaseUrl! });
}, 120_000);
afterAll(async () => {
  await installation?.stop();
  await redis?.stop();
});

const patient = { timeout: 240_000 };

test(
  "[RF2] [I1] [I7] [I16] two nodes under load while the script cache is emptied: no call is affected",
  patient,
  async () => {
    const playing = await startPlaying(installation, "flush");
    for (let flush = 0; flush < 5; flush++) {
      await playing.more(300);
      await redis.ask("SCRIPT", "FLUSH");
    }
    await playing.more(300);
    expectSafe(await playing.end(), "script flush");
    expect(playing.lost()).toBe(0);
  },
);

test("[RF3] [I1] [I7] [I16] two nodes under load while one is killed and started again", patient, async () => {
  const playing = await startPlaying(installation, "node-kill");
  await playing.more(500);
  await installation.nodes[1]!.kill();
  await playing.more(500);
  await installation.nodes[1]!.start();
  await playing.more(500);
  expectSafe(await playing.end(), "node killed");
});

test("[RF3] [I26] [I1] [I7] [I16] two nodes under load while Redis is killed and started again", patient, async () => {
  const playing = await startPlaying(installation, "redis-restart");
  for (let restart = 0; restart < 3; restart++) {
    await playing.more(400);
    await redis.restart();
  }
  await playing.more(400);
  expectSafe(await playing.end(), "redis restarted");
});

test("[RF4] [I26] [I1] [I7] [I16] two nodes under load while Redis is frozen and thawed", patient, async () => {
  const playing = await startPlaying(installation, "freeze");
  await playing.more(500);
  redis.freeze();
  const lostBefore = playing.lost();
  await until("requests are turned away", () => playing.lost() > lostBefore + 20);
  redis.thaw();
  await playing.more(500);
  expectSafe(await playing.end(), "redis frozen");
});

test(
  "[ND2] [I1] [I7] [I16] two nodes under load while the one with the lease is frozen until the other has it, then thawed",
  patient,
  async () => {
    const playing = await startPlaying(installation, "node-freeze");
    await playing.more(500);
    const holder = async () => String(await redis.ask("HGET", "foyer:{nodes}:list:lease", "holder")).split(" ")[0];
    const first = await holder();
    const frozen = installation.nodes.find(({ nodeId }) => nodeId === first)!;
    frozen.server().process.kill("SIGSTOP");
    await until("the other node has the lease", async () => (await holder()) !== first);
    await playing.more(300);
    frozen.server().process.kill("SIGCONT");
    await playing.more(500);
    expectSafe(await playing.end(), "node frozen");
    expect(await auditNamespace(redis.url, playing.namespaceId)).toEqual([]);
  },
);
