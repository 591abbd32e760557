import { randomUUID } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import { createLog } from "../../src/ground/log.ts";
import { openRedis } from "../../src/redis/connection.ts";
import type { RedisConnection } from "../../src/redis/interface.ts";

/** A link to the run's Redis and an unused prefix. */
export async function openLink(): Promise<{ link: RedisConnection; prefix: string }> {
  const log = createLog({ level: "silent", format: "json" });
  const link = await openRedis({ url: inject("redisUrl"), log });
  onTestFinished(() => link.close());
  return { link, prefix: `test-${randomUUID()}` };
}

/** Waits for something that is bound to happen; the test's own time limit ends it otherwise. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
}
