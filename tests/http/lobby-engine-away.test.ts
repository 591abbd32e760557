import { randomUUID } from "node:crypto";
import { afterEach, expect, inject, test } from "vitest";
import { defaultConfig } from "../../src/config/config.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createSqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import { createLog } from "../../src/ground/log.ts";
import { createMetrics } from "../../src/ground/metrics.ts";
import { createHttpServer, type HttpServer } from "../../src/http/server.ts";
import type { Context } from "../../src/operations/context.ts";
import type { Mocks, ServedHandlers } from "../../src/operations/handlers.ts";
import { checkLobby } from "../../src/operations/matchmaking/lobby.ts";
import { expectRefusal } from "../support/expectations.ts";
import { answerOf } from "../support/harness.ts";
import { closeAfterEach, openEngine } from "../support/redis-engine.ts";
import { startRedis } from "../support/services/redis.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

closeAfterEach();
let server: HttpServer | undefined;
afterEach(() => server?.close());

async function closedJournal(): Promise<Engine> {
  const engine = await createMemoryEngine(createSqliteJournal({ dataDir: temporaryFolder() }));
  await engine.close();
  return engine;
}

async function killedRedis(): Promise<Engine> {
  const redis = await startRedis();
  const { engine } = await openEngine(redis.url);
  await redis.stop();
  return engine;
}

async function closedCluster(): Promise<Engine> {
  const { engine } = await openEngine(inject("redisClusterUrl"));
  await engine.close();
  return engine;
}

/** The HTTP side with every token that of one lobby, and nothing behind it but the engine. */
function serverOn(engine: Engine): HttpServer {
  const caller = { kind: "lobby" as const, namespaceId: randomUUID(), lobbyId: randomUUID() };
  // Borders: no request of this test gets as far as a handler, and only these two parts of the context are looked at.
  const context = { engine, now: Date.now } as Context;
  const handlers = {} as ServedHandlers;
  return createHttpServer({
    config: defaultConfig({ port: 0 }),
    log: createLog({ level: "silent", format: "json" }),
    metrics: createMetrics(),
    handlers,
    mocks: {} as Mocks,
    authenticate: () => ({ caller, rateKey: null }),
    checkClient: () => null,
    dashboard: null,
    playPage: null,
    lobbies: null,
    now: Date.now,
    newRequestId: randomUUID,
    isStoreBehind: () => false,
    waitingCount: () => 0,
    checkLobby: (lobby) => checkLobby(context, lobby),
    checkReady: () => Promise.resolve(),
  });
}

test.each([
  ["the journal", closedJournal],
  ["Redis", killedRedis],
  ["a Redis Cluster", closedCluster],
] as const)("[T20] [T33] a lobby's malformed request while %s is away is our 503", async (_name, engineAway) => {
  server = serverOn(await engineAway());
  const { url } = await server.listen();
  for (const payload of ['{"is_closed":"yes"}', "{", '{"is_open":true}']) {
    const response = await fetch(`${url}/matchmaker/lobbies/closed`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: payload,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const answer = answerOf(response.status, Object.fromEntries(response.headers), bytes);
    expectRefusal(answer, "API_UNAVAILABLE");
    expect(answer.headers["retry-after"]).toBe("1");
  }
});
