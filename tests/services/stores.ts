import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { createDatabase } from "./postgres.ts";

export const storeKinds = ["sqlite", "postgresql"] as const;

export type StoreKind = (typeof storeKinds)[number];

/** An empty database: a new one on the run's PostgreSQL, or none, which means SQLite in the test's data folder. */
export async function freshDatabase(kind: StoreKind): Promise<{ databaseUrl: string | null }> {
  if (kind === "sqlite") return { databaseUrl: null };
  const name = `test_${randomBytes(8).toString("hex")}`;
  return { databaseUrl: await createDatabase(inject("postgresUrl"), name) };
}
