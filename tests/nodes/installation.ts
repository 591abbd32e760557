import { existsSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import type { Injected } from "../../src/app/main.ts";
import type { Config } from "../../src/config/config.ts";
import { isRunning } from "../runtime/driver.ts";
import { type Service, startService } from "../support/harness.ts";
import { lobbyPids, runtimeConfig } from "../support/runtime-world.ts";
import { freshDatabase, freshLiveState, type ServiceKind } from "../support/services/stores.ts";

/** Nodes that share one Redis and one PostgreSQL, in this process; each with lobby ports and a data folder of its own. */
export interface Installation {
  /** Of PostgreSQL. */
  readonly databaseUrl: string;
  start(nodeId: string, overrides?: Partial<Config>, injected?: Injected): Promise<Service>;
  /** Stops a node as a service manager does: its lobbies run on. */
  stop(node: Service): Promise<void>;
  /** Deletes everything that Redis has of a namespace, as if it had never been configured. */
  forget(namespaceId: string): Promise<void>;
  /** The same with everything that the installation has in Redis. */
  forgetAll(): Promise<void>;
}

export async function install(kind: ServiceKind = "redis"): Promise<Installation> {
  const { databaseUrl } = await freshDatabase(kind);
  const shared = { databaseUrl, ...freshLiveState(kind), nodeGraceS: 5 };
  const running = new Set<Service>();
  const folders = new Set<string>();
  let count = 0;
  onTestFinished(async () => {
    for (const node of running) await node.close();
    const used = [...folders].filter((folder) => existsSync(join(folder, "lobbies")));
    for (const pid of used.flatMap(lobbyPids).filter(isRunning)) process.kill(-pid, "SIGKILL");
  });
  async function remove(pattern: string): Promise<void> {
    const client = new Redis(shared.redisUrl!);
    const keys = await client.keys(pattern);
    await client.del(...keys);
    client.disconnect();
  }

  return {
    // PostgreSQL always has one.
    databaseUrl: databaseUrl!,
    async start(nodeId, overrides = {}, injected = {}) {
      count += 1;
      const node = await startService(kind, { ...shared, ...runtimeConfig(count % 5), nodeId, ...overrides }, injected);
      running.add(node);
      folders.add(node.dataDir);
      return node;
    },
    forget: (namespaceId) => remove(`${shared.redisPrefix}:{${namespaceId}}:*`),
    forgetAll: () => remove(`${shared.redisPrefix}:*`),
    async stop(node) {
      running.delete(node);
      await node.close();
    },
  };
}
