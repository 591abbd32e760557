import { randomUUID } from "node:crypto";
import { createRedisEngine } from "../../src/engine/redis/redis.ts";
import { createLog } from "../../src/ground/log.ts";
import { openRedis } from "../../src/redis/connection.ts";

/** What is wrong with a namespace in Redis, in words: every index, count and deadline worked out again from the facts. */
export async function auditNamespace(redisUrl: string, namespaceId: string): Promise<string[]> {
  const log = createLog({ level: "silent", format: "json" });
  const link = await openRedis({ url: redisUrl, log });
  const engine = await createRedisEngine({
    link,
    prefix: "foyer",
    newOpId: randomUUID,
    wallClock: Date.now,
    isHearing: false,
  });
  try {
    return await engine.audit(namespaceId);
  } finally {
    await engine.close();
    await link.close();
  }
}
