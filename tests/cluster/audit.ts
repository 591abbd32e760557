import { createLog } from "../../src/ground/log.ts";
import { openRedis } from "../../src/redis/connection.ts";
import { auditNamespace as audit } from "../support/redis-audit.ts";

/** What is wrong with a namespace in Redis, in words: every index, count and deadline worked out again from the facts. */
export async function auditNamespace(redisUrl: string, namespaceId: string): Promise<string[]> {
  const link = await openRedis({ url: redisUrl, log: createLog({ level: "silent", format: "json" }) });
  try {
    return await audit(link, "foyer", namespaceId);
  } finally {
    await link.close();
  }
}
