import { expect, onTestFinished, test } from "vitest";
import { createArena, startMatchmaker } from "../support/arena.ts";
import { type Service, until } from "../support/harness.ts";
import { freePort } from "../support/services/programs.ts";
import { startRedis } from "../support/services/redis.ts";
import { install } from "./installation.ts";

const external = { regions: { local: {} }, game_modes: { duel: { max_players: 2, runtime: { external: {} } } } };

/** Every value of a scrape by its name and labels. */
async function scrape(port: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

const find = (service: Service, token: string, gameMode = "duel") =>
  service.request("POST", "/matchmaker/lobbies/find", { token, body: { game_modes: [gameMode] } });

test("[O15] a single node has the lease, and reports its lobby processes and the calls that wait for them", async () => {
  const metricsPort = await freePort();
  const { service } = await startMatchmaker("sqlite", { metricsPort });
  onTestFinished(() => service.close());
  const arena = await createArena(service);
  expect(await scrape(metricsPort)).toMatchObject({
    foyer_nodes_alive: 1,
    foyer_node_has_lease: 1,
    foyer_lobby_processes: 0,
    foyer_waiting_requests: 0,
  });
  expect(Object.keys(await scrape(metricsPort)).filter((name) => name.startsWith("foyer_redis"))).toEqual([]);
  const found = find(service, arena.pub, "match");
  await until(async () => (await scrape(metricsPort)).foyer_waiting_requests === 1);
  await until(async () => (await scrape(metricsPort)).foyer_lobby_processes === 1);
  await service.close();
  await found;
});

test("[O15] of several nodes one has the lease, and each reports how long Redis takes", async () => {
  const installation = await install();
  const ports = [await freePort(), await freePort()] as const;
  const here = await installation.start("here", { metricsPort: ports[0] });
  await installation.start("there", { metricsPort: ports[1] });
  const arena = await createArena(here, external);
  await find(here, arena.pub);
  const both = () => Promise.all(ports.map(scrape));
  await until(async () => (await both()).every((one) => one.foyer_nodes_alive === 2));
  // A beat that is late makes a holder unsure of its lease for a moment.
  await until(async () => (await both()).reduce((sum, one) => sum + one.foyer_node_has_lease!, 0) === 1);
  const [seen] = await both();
  expect(seen?.foyer_redis_connected).toBe(1);
  const duration = "foyer_redis_command_duration_seconds";
  expect(seen?.[`${duration}_count{command="script find"}`]).toBeGreaterThanOrEqual(1);
  expect(seen?.[`${duration}_sum{command="script find"}`]).toBeGreaterThan(0);
});

test("[O15] a Redis that is away shows, and so do the requests that fail for it", { timeout: 60_000 }, async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const installation = await install();
  const metricsPort = await freePort();
  const node = await installation.start("alone", { redisUrl: redis.url, metricsPort });
  const arena = await createArena(node, external);
  await redis.kill();
  expect((await find(node, arena.pub)).status).toBe(503);
  const seen = await scrape(metricsPort);
  expect(seen).toMatchObject({ foyer_redis_connected: 0, 'foyer_http_unavailable_total{cause="live_state"}': 1 });
  const causes = Object.keys(seen).filter((name) => name.startsWith("foyer_redis_failures_total{cause="));
  expect(causes.length).toBeGreaterThan(0);
  await redis.start();
  await until(async () => (await scrape(metricsPort)).foyer_redis_connected === 1);
});
