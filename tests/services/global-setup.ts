import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}

let server: PostgresServer | null = null;

/** One PostgreSQL server for the whole run; each test makes a database of its own on it. */
export async function setup(project: TestProject): Promise<void> {
  server = await startPostgres();
  project.provide("postgresUrl", server.url);
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
