import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { createRedisEngine } from "../../src/engine/redis/redis.ts";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import type { CommandOf } from "../../src/matchmaker/commands.ts";
import { openRedis } from "../../src/redis/connection.ts";
import { anyLobby } from "../support/any-lobby.ts";
import { auditNamespace } from "../support/redis-audit.ts";
import { startRedis, until } from "../support/services/redis.ts";
import { listeningLog } from "./redis-counting.ts";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const namespaceId = "aaaaaaaa-0000-7000-8000-00000000000a";
const lobbyId = "bbbbbbbb-0000-7000-8000-00000000000b";
const lobby: CommandOf<"createLobby">["lobby"] = {
  ...anyLobby,
  lobbyId,
  versionId: "v",
  maxPlayers: 4,
  maxPlayersDirect: 4,
  isExternal: true,
  readyMs: 1e9,
  reservationMs: 1e9,
  emptyMs: 1e9,
};

test("[RF4] what the rules were asked while Redis was frozen never happens once its caller has been answered", {
  timeout: 240_000,
}, async () => {
  const server = await startRedis();
  opened.push(() => server.stop());
  const link = await openRedis({ url: server.url, log: listeningLog().log });
  opened.push(() => link.close());
  const engine = await createRedisEngine({
    link,
    prefix: "foyer",
    newOpId: randomUUID,
    wallClock: Date.now,
    isHearing: true,
  });
  opened.push(() => engine.close());
  const base = { namespaceId, now: 1, revision: 1 };
  const limits = { lobbyCountMax: 100, maxPlayers: 100, maxPlayersPerClient: null };
  await engine.execute({ type: "configure", ...base, limits, deployedVersionId: "v", idleMinimums: [] });
  const created = { reason: "registered", lobby, clientId: null, playerIds: [], idempotency: null } as const;
  await engine.execute({ type: "createLobby", ...base, ...created });
  const isClosed = async () => (await engine.read({ type: "lobby", namespaceId, now: 2, lobbyId }))?.isClosed;

  const setClosed = (isClosed: boolean) =>
    engine.execute({ type: "setClosed", namespaceId, now: 2, lobbyId, isClosed });
  // Redis has the script from here on; else it would not do what it is asked even if it were in time.
  for (const isClosed of [true, false]) await setClosed(isClosed);

  server.freeze();
  await expect(setClosed(true)).rejects.toThrow(EngineUnavailable);
  server.thaw();
  await until("the thawed server answers", async () => (await isClosed()) !== undefined);
  expect(await isClosed()).toBe(false);
  // The command is on an earlier connection than the question: it was read and refused, or is still to be read.
  await until("the thawed server has read everything", async () => (await server.info("connected_clients")) === "3");
  expect(await isClosed()).toBe(false);
  expect(await auditNamespace(link, "foyer", namespaceId)).toEqual([]);
});
