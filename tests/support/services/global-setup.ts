import type { TestProject } from "vitest/node";
import { ensureDocsBuilt } from "../server.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import { startCluster } from "./redis-cluster.ts";

declare module "vitest" {
  export interface ProvidedContext {
    postgresUrl: string;
    redisUrl: string;
    redisClusterUrl: string;
  }
}

const running: { stop(): Promise<void> }[] = [];

/**
 * One PostgreSQL server, one Redis and one Redis Cluster for the whole run. Each test makes a database of its own on the
 * first, and uses ids or a prefix of its own on the others. Tests that hurt a server start their own. Every service has
 * the documentation, so it is rendered first.
 */
export async function setup(project: TestProject): Promise<void> {
  await ensureDocsBuilt();
  const noted = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const server = await starting;
    running.push(server);
    return server;
  };
  const [postgres, redis, cluster] = await Promise.all([
    noted(startPostgres()),
    noted(startRedis()),
    noted(startCluster()),
  ]);
  project.provide("postgresUrl", postgres.url);
  project.provide("redisUrl", redis.url);
  project.provide("redisClusterUrl", cluster.url);
}

export async function teardown(): Promise<void> {
  await Promise.all(running.map((server) => server.stop()));
}
