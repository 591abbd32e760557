import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, test } from "vitest";
import { config, createArena, lobbyIdOf, tokensOf } from "../support/arena.ts";
import { type Child, newDataDir, serviceOf, startChild } from "../support/child.ts";
import { until } from "../support/harness.ts";
import { ensureServerBuilt } from "../support/server.ts";

const patient = { timeout: 240_000 };
const stepClock = fileURLToPath(new URL("step-clock.mjs", import.meta.url));
const hourMs = 3_600_000;
const children: Child[] = [];

beforeAll(ensureServerBuilt, 120_000);
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill("SIGKILL");
});

/** A service whose wall clock the test sets an hour ahead and back again. */
async function start(dataDir: string) {
  const child = await startChild(dataDir, [], ["--import", stepClock]);
  children.push(child);
  let steps = 0;
  async function step(): Promise<void> {
    steps += 1;
    const aheadMs = steps % 2 === 1 ? hourMs : 0;
    const count = () => child.output().split(`the wall clock is ${aheadMs} ms ahead`).length;
    const before = count();
    child.process.kill("SIGUSR2");
    await until(() => count() > before);
  }
  return { child, step };
}

const timeouts = { reservation_s: 60, heartbeat_s: 60, ready_s: 300 };

test(
  "[CK1] [CK4] the wall clock of a running service jumps an hour ahead: nothing ends, and the jump is logged",
  patient,
  async () => {
    const dataDir = newDataDir();
    const { child, step } = await start(dataDir);
    const arena = await createArena(serviceOf(child, dataDir), config({ timeouts }));
    const lobby = await arena.ready();
    const [connected, reserved] = tokensOf(await arena.find({ party_size: 2 }));
    expect((await lobby.connect(connected!)).status).toBe(200);

    const soon = new Date(Date.now() + hourMs / 2).toISOString();
    const { game } = arena.namespace;
    const { token } = await child.client.admin("POST", `${game.path}/tokens/cloud`, { expires_ts: soon });

    await step();
    await until(() => child.output().includes("the clock was set"));
    expect((await child.client.request("GET", game.path, { token })).status).toBe(200);
    expect(await lobby.seen()).toMatchObject({
      status: "ready",
      is_silent: false,
      reserved_count: 1,
      connected_count: 1,
    });
    expect((await lobby.heartbeat()).status).toBe(200);
    expect((await lobby.connect(reserved!)).status).toBe(200);
    expect(await lobby.seen()).toMatchObject({ status: "ready", connected_count: 2 });
  },
);

test("[CK4] an hour ahead and back again: a seat reserved in between expires on time", patient, async () => {
  const dataDir = newDataDir();
  const { child, step } = await start(dataDir);
  const arena = await createArena(serviceOf(child, dataDir), config({ timeouts: { ...timeouts, reservation_s: 1 } }));
  const lobby = await arena.ready();
  await step();
  expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
  await step();
  await until(async () => (await lobby.seen()).reserved_count === 0);
});

test("[CK3] a restart after the wall clock was set back continues from the last known time", patient, async () => {
  const dataDir = newDataDir();
  // Its wall clock is an hour ahead from before the start.
  const first = await startChild(
    dataDir,
    [],
    ["--import", stepClock, "--import", "data:text/javascript,process.emit('SIGUSR2')"],
  );
  children.push(first);
  const arena = await createArena(serviceOf(first, dataDir), config({ timeouts: { ...timeouts, reservation_s: 1 } }));
  const lobby = await arena.ready();
  const { create_ts } = await lobby.seen();
  expect(Date.parse(create_ts)).toBeGreaterThan(Date.now() + hourMs / 2);
  first.process.kill("SIGKILL");
  await first.ended;

  const { child } = await start(dataDir);
  const seen = async () => (await child.client.admin("GET", `${arena.namespace.path}/lobbies/${lobby.lobbyId}`)).lobby;
  const found = await child.client.request("POST", "/matchmaker/lobbies/find", {
    token: arena.pub,
    body: { game_modes: ["duel"] },
  });
  expect(lobbyIdOf(found)).toBe(lobby.lobbyId);
  await until(async () => (await seen()).reserved_count === 0);
});
