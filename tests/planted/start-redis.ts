import type { TestProject } from "vitest/node";
import { startRedis } from "../support/services/redis.ts";

/** One Redis for the checks of a planted bug; they need no other server. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  project.provide("redisUrl", redis.url);
  return () => redis.stop();
}
