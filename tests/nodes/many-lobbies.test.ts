import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openLobbyDirectory } from "../../src/operations/routing/lobby-directory.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { routedConfig } from "../gateway/world.ts";
import { config, createArena } from "../support/arena.ts";
import { createFakeRuntime } from "../support/fake-runtime.ts";
import { until } from "../support/harness.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { type RedisServer, startRedis } from "../support/services/redis.ts";
import { createWorld } from "../support/world.ts";
import { install } from "./installation.ts";

closeAfterEach();

/** A server of its own: these tests look at everything that happens on it. */
let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** Notes every key of a lobby that any script uses from now on. */
async function watchLobbyKeys() {
  const client = new Redis(server.url);
  const monitor = await client.monitor();
  onTestFinished(() => [client, monitor].forEach((each) => void each.disconnect()));
  const used = new Set<string>();
  let isOver = () => {};
  monitor.on("monitor", (_time: string, args: string[], source: string) => {
    if (source === "lua" && /:l:[^:]+$/.test(args[1] ?? "")) used.add(args[1]!.replace(/^.*:l:/, ""));
    if (args[1] === "that was all") isOver();
  });
  return async () => {
    const over = new Promise<void>((resolve) => {
      isOver = resolve;
    });
    await server.ask("PING", "that was all");
    await over;
    return used;
  };
}

test("[RD13] a node that starts beside another uses its own lobbies and those behind the gateway, and no others", {
  timeout: 240_000,
}, async () => {
  const installation = await install();
  const shared = { redisUrl: server.url };
  const runtime = createFakeRuntime();
  const first = await installation.start("first", { ...shared, nodeUrl: "http://127.0.0.1:1" }, { runtime });
  const registered = await createArena(first, config());
  await first.admin("POST", `${registered.namespace.path}/mm-config`, { lobby_count_max: 5000, max_players: 100 });
  const ids = new Set<string>();
  for (let count = 0; count < 600; count++) ids.add((await registered.register()).lobbyId);
  const routed = await createArena(first, routedConfig());
  runtime.onceStarted = ({ lobbyId, env }) => routed.lobby(lobbyId, env.FOYER_TOKEN!).ready();
  const made = await routed.create({ region: "local" });
  expect(made.json.code).toBeUndefined();
  const lobbyId: string = made.json.lobby.lobby_id;

  const usedKeys = await watchLobbyKeys();
  const second = await installation.start("second", { ...shared, runtimes: ["external"] });
  // It knows the lobby of the other node, which is not reached there.
  await until(async () => (await second.request("GET", `/lobby/${lobbyId}/web`)).status === 502);
  const used = await usedKeys();
  expect([...used].filter((id) => ids.has(id))).toEqual([]);
  expect([...used]).toContain(lobbyId);
});

/** Two lobbies of each of two nodes, with a port behind the gateway. */
async function openWorld() {
  const ran: string[] = [];
  const wrap = (link: RedisLink): RedisLink => ({
    ...link,
    run(...args) {
      ran.push(args[0].name);
      return link.run(...args);
    },
  });
  const one = await openEngine(server.url, { wrap });
  const world = await createWorld(async () => underTest(one, server.url));
  const port = { hostname: "127.0.0.1", port: 1, isTls: false, protocol: "http", routing: "gateway" };
  const ports = JSON.stringify({ web: port });
  async function lobbyOn(nodeId: string): Promise<string> {
    const { id } = await world.starting();
    await world.execute<"placeLobby">({ type: "placeLobby", lobbyId: id, nodeId });
    await world.execute<"setPorts">({ type: "setPorts", lobbyId: id, ports, nodeId });
    return id;
  }
  const ids = [await lobbyOn("own"), await lobbyOn("own"), await lobbyOn("other"), await lobbyOn("other")];
  // It receives no events.
  const engine = { read: one.engine.read, events: () => ({ [Symbol.asyncIterator]: () => ({ next: forEver }) }) };
  const directory = await openLobbyDirectory({
    engine,
    now: () => world.now,
    learnMs: 100,
    own: { nodeId: "own" },
    others: () => [{ nodeId: "other" }],
    onError(error) {
      throw error;
    },
  });
  const stops: string[] = [];
  directory.onStopped((lobbyId) => stops.push(lobbyId));
  return { world, ran, ids, directory, lobbyOn, stops };
}

const forEver = () => new Promise<never>(() => {});

test("[GW13] [RD15] after lost events the gateway knows which lobbies are new, have moved or have ended", async () => {
  const { world, ids, directory, lobbyOn, stops } = await openWorld();
  const [own, ended, moved] = ids as [string, string, string];
  for (const lobbyId of ids) expect(await directory.find(lobbyId)).toMatchObject({ lobbyId, stoppedAt: null });
  const added = await lobbyOn("other");
  expect(await directory.find(added)).toBeNull();
  await world.stop(ended);
  const move = { type: "placeLobby", lobbyId: moved, nodeId: "own", insteadOf: "other" } as const;
  expect(await world.execute<"placeLobby">(move)).toMatchObject({ ok: true });

  await directory.resync(world.namespaceId);
  expect(await directory.find(added)).toMatchObject({ nodeId: "other", stoppedAt: null });
  expect(await directory.find(own)).toMatchObject({ nodeId: "own", stoppedAt: null });
  expect(await directory.find(ended)).toMatchObject({ stoppedAt: world.now });
  expect(await directory.find(moved)).toMatchObject({ nodeId: "own", stoppedAt: null });
  expect(stops).toEqual([ended]);
});

test("[RD15] lobbies of a deleted namespace are not listed for the gateway: they have ended", async () => {
  const { world, ran, ids, directory, stops } = await openWorld();
  await until(async () => (await directory.find(ids[3]!)) !== null);
  await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
  ran.length = 0;
  await directory.resync(world.namespaceId);
  expect(ran.filter((name) => name !== "hearing")).toEqual(["counts"]);
  expect(stops.sort()).toEqual(ids.sort());
  for (const lobbyId of ids) expect(await directory.find(lobbyId)).toMatchObject({ stoppedAt: world.now });
});
