import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { createDatabase } from "./postgres.ts";

export const storeKinds = ["sqlite", "postgresql"] as const;

export type StoreKind = (typeof storeKinds)[number];

/** What a whole service can run on: one node with either store, or nodes on Redis (one server, or a Cluster) and PostgreSQL. */
export const serviceKinds = [...storeKinds, "redis", "cluster"] as const;

export type ServiceKind = (typeof serviceKinds)[number];

/** Where live lobbies are kept: in an unused part of the run's Redis, or, as null, in the node itself. */
export function freshLiveState(kind: ServiceKind): { redisUrl: string | null; redisPrefix: string } {
  const redisPrefix = `test-${randomBytes(8).toString("hex")}`;
  if (kind === "redis") return { redisUrl: inject("redisUrl"), redisPrefix };
  return { redisUrl: kind === "cluster" ? inject("redisClusterUrl") : null, redisPrefix };
}

/** An empty database: a new one on the run's PostgreSQL, or none, which means SQLite in the test's data folder. */
export async function freshDatabase(kind: ServiceKind): Promise<{ databaseUrl: string | null }> {
  if (kind === "sqlite") return { databaseUrl: null };
  const name = `test_${randomBytes(8).toString("hex")}`;
  return { databaseUrl: await createDatabase(inject("postgresUrl"), name) };
}
