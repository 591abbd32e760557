import { randomUUID } from "node:crypto";
import { afterEach } from "vitest";
import { openRedis } from "../../src/engine/redis/connection.ts";
import type { RedisConnection } from "../../src/engine/redis/link.ts";
import { createRedisEngine, type RedisEngine } from "../../src/engine/redis/redis.ts";
import { createLog } from "../../src/log.ts";
import { sayRestarted } from "./say-restarted.ts";
import type { EngineUnderTest } from "./world.ts";

export const quietLog = createLog({ level: "error", format: "json" });

export interface OpenedEngine {
  readonly engine: RedisEngine;
  readonly link: RedisConnection;
  readonly prefix: string;
}

const opened = new Set<OpenedEngine>();

/** Ends what the test has opened; a test file calls it once. */
export function closeAfterEach(): void {
  afterEach(async () => {
    await Promise.all([...opened].map(closeEngine));
  });
}

/** On keys of its own, unless another engine's prefix is given. */
export async function openEngine(url: string, prefix = `test-${randomUUID()}`): Promise<OpenedEngine> {
  const link = await openRedis({ url, log: quietLog });
  const engine = await createRedisEngine({ link, prefix, newOpId: randomUUID, wallClock: Date.now });
  const one = { engine, link, prefix };
  opened.add(one);
  return one;
}

export async function closeEngine(one: OpenedEngine): Promise<void> {
  opened.delete(one);
  await one.engine.close();
  await one.link.close();
}

/** An engine for the suites. State is in Redis, so a restart is another engine that says that the service was down. */
export async function startOnRedis(url: string): Promise<EngineUnderTest> {
  return underTest(await openEngine(url), url, false);
}

function underTest(one: OpenedEngine, url: string, isRestarted: boolean): EngineUnderTest {
  return {
    engine: isRestarted ? sayRestarted(one.engine) : one.engine,
    check: (namespaceId) => one.engine.audit(namespaceId),
    async restart() {
      await closeEngine(one);
      return underTest(await openEngine(url, one.prefix), url, true);
    },
  };
}
