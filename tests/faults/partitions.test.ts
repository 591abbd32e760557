import { expect, inject, onTestFinished, test } from "vitest";
import { install } from "../nodes/installation.ts";
import { arenaOf, createArena } from "../support/arena.ts";
import { expectRefusal } from "../support/expectations.ts";
import { until } from "../support/harness.ts";
import { openSlowWay } from "../support/services/slow-way.ts";

const patient = { timeout: 240_000 };
const external = { runtime: { external: {} } };
const version = {
  regions: { local: {} },
  game_modes: { duel: { max_players: 50, timeouts: { heartbeat_s: 0 }, ...external } },
};

/** Two nodes; what the second one sends to Redis can be kept back while its connections stay open. */
async function openTwo() {
  const way = await openSlowWay(Number(new URL(inject("redisUrl")).port));
  const installation = await install();
  const here = await installation.start("here", { nodeGraceS: 600 });
  const cut = await installation.start("cut", { nodeGraceS: 600, redisUrl: `redis://127.0.0.1:${way.port}` });
  // Added last, so that it runs first: a node that cannot reach Redis would take long to stop.
  onTestFinished(async () => {
    await way.release();
  });
  const arena = await createArena(here, version);
  const lobby = await arena.ready();
  return { way, here, cut, arena, lobby, onCut: arenaOf(cut, arena.namespace, arena) };
}

test("[FA4] a node that is cut off from Redis answers 503 and is not ready; the others go on", patient, async () => {
  const { way, here, cut, arena, lobby, onCut } = await openTwo();
  await until(async () => (await onCut.find()).status === 200);
  const before = (await lobby.seen()).reserved_count;

  way.hold();
  const refused = await onCut.find();
  expectRefusal(refused, "API_UNAVAILABLE");
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  await until(async () => (await cut.request("GET", "/readyz")).status === 503);
  expect((await cut.request("GET", "/healthz")).status).toBe(200);
  expect((await here.request("GET", "/readyz")).status).toBe(200);
  expect((await arena.find()).status).toBe(200);

  await way.release();
  await until(async () => (await cut.request("GET", "/readyz")).status === 200);
  await until(async () => (await onCut.find()).status === 200);
  // What arrived late had been answered as refused, so it took no seat.
  expect((await lobby.seen()).reserved_count).toBe(before + 2);
});
