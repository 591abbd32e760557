import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { ensureServerBuilt, type OpenService } from "../support/server.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { openBalanced } from "./balanced.ts";
import { startInstallation } from "./nodes.ts";

/** Two nodes on the run's Redis or Redis Cluster, and requests to both in turn. */
export function openNodesOn(redis: "redisUrl" | "redisClusterUrl"): OpenService {
  return async (count) => {
    await ensureServerBuilt();
    const { databaseUrl } = await freshDatabase("postgresql");
    const flags = [`--redis-prefix=nodes-${randomBytes(6).toString("hex")}`];
    const installation = await startInstallation({ redisUrl: inject(redis), databaseUrl: databaseUrl!, flags });
    const connections = openBalanced(
      installation.nodes.map(({ port }) => port),
      count,
    );
    return {
      server: installation.nodes[0]!.server(),
      connections,
      async close() {
        connections.close();
        await installation.stop();
      },
    };
  };
}
