import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ensureServerBuilt } from "../support/server.ts";
import { createDatabase, type PostgresServer, startPostgres } from "../support/services/postgres.ts";
import { until } from "../support/services/redis.ts";
import { type Installation, startInstallation } from "./nodes.ts";
import { expectSafe, startPlaying } from "./playing.ts";

let postgres: PostgresServer;
let installation: Installation;

beforeAll(async () => {
  await ensureServerBuilt();
  postgres = await startPostgres();
  const databaseUrl = await createDatabase(postgres.url, "foyer");
  const flags = [`--redis-prefix=postgresql-restart-${process.pid}`];
  installation = await startInstallation({ redisUrl: inject("redisUrl"), databaseUrl, flags });
}, 120_000);
afterAll(async () => {
  await installation?.stop();
  await postgres?.stop();
});

test("[RF17] [I1] [I7] [I16] two nodes under load while PostgreSQL restarts: finds, joins and connects continue", {
  timeout: 240_000,
}, async () => {
  const playing = await startPlaying(installation, "postgresql");
  await playing.more(500);
  const before = playing.lost();
  await postgres.halt();
  await playing.more(1000);
  const during = playing.lost() - before;
  const [node] = installation.nodes;
  expect((await fetch(`http://127.0.0.1:${node!.port}/readyz`)).status).toBe(503);
  await postgres.resume();
  await until("the node is ready", async () => (await fetch(`http://127.0.0.1:${node!.port}/readyz`)).status === 200);
  await playing.more(500);
  expectSafe(await playing.end(), "postgresql restarted");
  expect(during).toBe(0);
});
