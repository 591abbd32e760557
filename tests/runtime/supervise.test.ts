import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createEventHub } from "../../src/engine/event-hub.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createLog } from "../../src/ground/log.ts";
import { EngineUnavailable, RuleFailed, StoreUnavailable } from "../../src/ground/unavailable.ts";
import { everyLobby, lobbiesPlacedOn } from "../../src/loops/servers/own-lobbies.ts";
import { supervise } from "../../src/loops/supervise.ts";
import type { LobbyView } from "../../src/matchmaker/commands.ts";
import { createStartGate } from "../../src/operations/capacity/crash-backoff.ts";
import { LobbyNotStarted } from "../../src/runtime/runtime.ts";
import { createFakeRuntime, type FakeRuntime } from "../support/fake-runtime.ts";
import { until } from "../support/harness.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { versionA, World } from "../support/world.ts";

const program = { kind: "process", command: "node", args: [], cwd: null } as const;

test("[RD10] [ND3] a node that missed events starts what was placed on it and stops what has ended", async () => {
  const engine = await createMemoryEngine(createMemoryJournal());
  const under = { engine, check: () => [], restart: () => Promise.reject(new Error("Not this one.")) };
  const world = new World(under, "eeeeeeee-0000-7000-8000-00000000000e", { next: 0 });
  await world.configure();
  const runtime = createFakeRuntime();
  // It receives nothing.
  const silent: Engine = { ...engine, events: createEventHub().subscribe };
  const describe = async (namespaceId: string, { lobbyId }: LobbyView) => {
    return { namespaceId, lobbyId, program, env: {}, ports: {} };
  };
  const supervisor = await supervise({
    engine: silent,
    runtime,
    gate: createStartGate(),
    log: createLog({ level: "silent", format: "json" }),
    ownLobbies: lobbiesPlacedOn("own"),
    now: () => world.now,
    describe,
    portsText: () => "{}",
    showsLines: false,
    counted() {},
    noteExit: async () => {},
  });
  const [own, elsewhere, ended] = [await world.starting(), await world.starting(), await world.starting()];
  const place = (lobbyId: string, nodeId: string) =>
    world.execute<"placeLobby">({ type: "placeLobby", lobbyId, nodeId });
  await place(own.id, "own");
  await place(elsewhere.id, "other");
  await place(ended.id, "own");

  await supervisor.resync(world.namespaceId);
  await until(async () => (await runtime.list()).length === 2);
  expect(await runtime.list()).toEqual([own.id, ended.id]);
  await world.stop(ended.id);
  await supervisor.resync(world.namespaceId);
  await until(() => runtime.stops.length === 1);
  expect([runtime.stops, runtime.starts.length]).toEqual([[ended.id], 2]);
  await supervisor.stop();
});

test("[RD15] a deleted namespace is not searched for lobbies that were placed on the node meanwhile", async () => {
  const world = await createWorld();
  const { engine } = world.under;
  const asked: string[] = [];
  const noting: Engine = {
    ...engine,
    read(query) {
      asked.push(query.type);
      return engine.read(query);
    },
  };
  const { supervisor } = await superviseWorld(world, createFakeRuntime(), noting);
  await supervisor.resync(world.namespaceId);
  expect(asked).toContain("pickLobbies");
  await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
  asked.length = 0;
  await supervisor.resync(world.namespaceId);
  expect(asked).toEqual(["counts"]);
});

/** An engine of its own, with a namespace. */
async function createWorld() {
  const engine = await createMemoryEngine(createMemoryJournal());
  const under = { engine, check: () => [], restart: () => Promise.reject(new Error("Not this one.")) };
  const world = new World(under, "eeeeeeee-0000-7000-8000-00000000000f", { next: 0 });
  await world.configure();
  return world;
}

/** The only node; records the calls to the gate and the slots. */
async function superviseWorld(
  world: World,
  runtime: FakeRuntime,
  engine: Engine = world.under.engine,
  {
    log = createLog({ level: "silent", format: "json" }),
    showsLines = false,
    whileDescribing = async (): Promise<void> => {},
  } = {},
) {
  const gate = createStartGate();
  const counted: string[] = [];
  const supervisor = await supervise({
    engine,
    runtime,
    gate,
    log,
    showsLines,
    ownLobbies: everyLobby("only"),
    now: () => world.now,
    describe: async (namespaceId, { lobbyId }) => {
      await whileDescribing();
      return { namespaceId, lobbyId, program, env: {}, ports: {} };
    },
    portsText: () => '{"default":{}}',
    counted: (lobbyId) => counted.push(lobbyId),
    noteExit: async () => {},
  });
  onTestFinished(() => supervisor.stop());
  return { supervisor, gate, counted };
}

/** A lobby that runs, and an engine that fails to record its end as `refuse` says. */
async function supervised(refuse: () => Error | null) {
  const world = await createWorld();
  const { engine } = world.under;
  const runtime = createFakeRuntime();
  let refusals = 0;
  const refusing: Engine = {
    ...engine,
    async execute(command) {
      const fault = command.type === "stopLobby" ? refuse() : null;
      if (fault === null) return engine.execute(command);
      refusals += 1;
      throw fault;
    },
  };
  const { supervisor } = await superviseWorld(world, runtime, refusing);
  const lobby = await world.starting();
  await until(() => runtime.isRunning(lobby.id));
  return { world, runtime, supervisor, lobbyId: lobby.id, refusals: () => refusals };
}

test.each([
  { showsLines: false, level: "warn" },
  { showsLines: true, level: "debug" },
])(
  "[VF11] a crash is logged once with its details: at level $level when lines are shown: $showsLines",
  async ({ showsLines, level }) => {
    const world = await createWorld();
    const runtime = createFakeRuntime();
    const lines: string[] = [];
    const log = createLog({ level: "debug", format: "json", destination: { write: (line) => lines.push(line) } });
    await superviseWorld(world, runtime, world.under.engine, { log, showsLines });
    const { id } = await world.starting();
    await until(() => runtime.isRunning(id));
    runtime.exit(id, { code: 3, signal: null });
    await until(async () => (await world.lobby(id))?.status === "stopped");
    const about = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "a lobby's process ended by itself");
    expect(about).toMatchObject([{ level, lobby_id: id, code: 3 }]);
  },
);

test("[RT8] a server that was started before its ports were written down is taken over with them", async () => {
  const world = await createWorld();
  const { id } = await world.starting();
  const runtime = createFakeRuntime();
  await runtime.start({
    namespaceId: world.namespaceId,
    lobbyId: id,
    program,
    env: {},
    ports: {},
  });
  expect((await world.lobby(id))?.ports).toBeNull();

  await superviseWorld(world, runtime);

  expect(await world.lobby(id)).toMatchObject({ status: "starting", ports: '{"default":{}}' });
  expect([runtime.starts.length, runtime.stops]).toEqual([1, []]);
});

test("[RT8] a server whose lobby has ended is stopped, and a lobby whose server is gone ends as crashed", async () => {
  const world = await createWorld();
  const [kept, gone] = [await world.ready(), await world.ready()];
  const runtime = createFakeRuntime();
  const stray = "00000000-0000-7000-8000-ffffffffffff";
  for (const lobbyId of [kept.id, stray]) {
    await runtime.start({
      namespaceId: world.namespaceId,
      lobbyId,
      program,
      env: {},
      ports: {},
    });
  }

  await superviseWorld(world, runtime);

  expect([await world.statusOf(kept.id), await world.statusOf(gone.id)]).toEqual(["ready", "stopped: crashed"]);
  await until(() => runtime.stops.length > 0);
  expect([runtime.stops.includes(stray), runtime.isRunning(kept.id)]).toEqual([true, true]);
});

test("[RT11] lobbies that are not ready in time count as failures, and ones that end as they should do not", async () => {
  const world = await createWorld();
  const runtime = createFakeRuntime();
  const { gate } = await superviseWorld(world, runtime);
  const held = () => gate.all(world.now).map(({ consecutiveFailures }) => consecutiveFailures);
  for (let count = 1; count <= 3; count++) {
    const { id } = await world.starting({ readyMs: 1_000 });
    await until(() => runtime.isRunning(id));
    await world.pass(1_000);
    expect(await world.statusOf(id)).toBe("stopped: not_ready");
    await until(() => runtime.stops.includes(id));
    expect(held()).toEqual(count === 3 ? [3] : []);
  }
});

test("[RT6] [RT11] a ready server that ends with code 0 has ended itself; other ends are crashes, and count", async () => {
  const world = await createWorld();
  const runtime = createFakeRuntime();
  const { gate } = await superviseWorld(world, runtime);
  const ends = [
    { isReady: true, code: 0, status: "stopped: self" },
    { isReady: false, code: 0, status: "stopped: crashed" },
    { isReady: true, code: 1, status: "stopped: crashed" },
    { isReady: true, code: 3, status: "stopped: crashed" },
  ];
  for (const { isReady, code, status } of ends) {
    const { id } = isReady ? await world.ready() : await world.starting();
    await until(() => runtime.isRunning(id));
    runtime.exit(id, { code, signal: null });
    await until(async () => (await world.statusOf(id)) !== (isReady ? "ready" : "starting"));
    expect(await world.statusOf(id)).toBe(status);
  }
  expect(gate.all(world.now)).toMatchObject([{ consecutiveFailures: 3 }]);
});

test("[RT5] [RT11] a lobby for which there was no room is no failure; one that could not be started is", async () => {
  const world = await createWorld();
  const runtime = createFakeRuntime();
  const { gate } = await superviseWorld(world, runtime);
  const failWith = async (fault: Error) => {
    runtime.whileStarting = () => Promise.reject(fault);
    for (let count = 0; count < 3; count++) {
      const { id } = await world.starting();
      await until(async () => (await world.statusOf(id)) === "stopped: start_failed");
    }
  };
  await failWith(new LobbyNotStarted("No room.", { isShortage: true }));
  expect(gate.all(world.now)).toEqual([]);
  await failWith(new LobbyNotStarted("No program."));
  expect(gate.all(world.now)).toMatchObject([{ consecutiveFailures: 3 }]);
});

test("[RT11] a store that is away for a moment delays a start: the lobby starts, and nothing counts as a failure", async () => {
  const world = await createWorld();
  const runtime = createFakeRuntime();
  let awayTimes = 0;
  const whileDescribing = async () => {
    awayTimes += 1;
    if (awayTimes % 2 === 1) throw new StoreUnavailable("Not now.");
  };
  const { gate } = await superviseWorld(world, runtime, world.under.engine, { whileDescribing });
  for (let count = 1; count <= 3; count++) {
    const { id } = await world.starting();
    await until(() => runtime.isRunning(id));
    expect([awayTimes, await world.statusOf(id)]).toEqual([2 * count, "starting"]);
  }
  expect(gate.all(world.now)).toEqual([]);
});

test("[RT4] a lobby that could not be started is one line of the log, without lines of Foyer's own code", async () => {
  const world = await createWorld();
  const runtime = createFakeRuntime();
  const lines: string[] = [];
  const log = createLog({ level: "warn", format: "json", destination: { write: (line) => lines.push(line) } });
  await superviseWorld(world, runtime, world.under.engine, { log });
  const cause = new Error("spawn nothing ENOENT");
  runtime.whileStarting = () => Promise.reject(new LobbyNotStarted("There is no program.", { cause }));
  const { id } = await world.starting();
  await until(async () => (await world.statusOf(id)) === "stopped: start_failed");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { lobby_id: id, reason: "There is no program.", cause: cause.message, msg: "a lobby could not be started" },
  ]);
  expect(lines[0]).not.toMatch(/\.ts:\d|stack/);
});

test("[RT7] the server of a lobby that ended while it was being started is stopped", async () => {
  const world = await createWorld();
  const runtime = createFakeRuntime();
  await superviseWorld(world, runtime);
  let go = () => {};
  runtime.whileStarting = () =>
    new Promise((resolve) => {
      go = resolve;
    });
  const { id } = await world.starting();
  await until(() => runtime.starts.length === 1);
  await world.stop(id);
  await until(() => runtime.stops.length === 1);
  go();
  await until(() => runtime.stops.length === 2);
  expect([runtime.stops, runtime.isRunning(id)]).toEqual([[id, id], false]);
});

test("[RT5] a lobby that the gate holds back does not keep the room that it was planned with", async () => {
  const world = await createWorld();
  const runtime = createFakeRuntime();
  const { gate, counted } = await superviseWorld(world, runtime);
  const lobby = { lobbyId: "other", versionId: versionA, gameMode: "duel", createdAt: 0, readyAt: null };
  for (let count = 0; count < 3; count++) gate.failed(lobby, "it broke.", world.now);
  const { id } = await world.starting();
  await until(async () => (await world.statusOf(id)) === "stopped: start_failed");
  expect([counted, runtime.starts]).toEqual([[id], []]);
});

test("[O22] servers are stopped also when the ends of their lobbies cannot be recorded", async () => {
  const { runtime, supervisor, lobbyId } = await supervised(() => new EngineUnavailable("It is away."));
  await supervisor.stopLobbies();
  expect([runtime.stops, runtime.isRunning(lobbyId)]).toEqual([[lobbyId], false]);
  await supervisor.stop();
});

test("[O22] the end of a lobby is recorded when the engine is back, and not tried again where that cannot help", async () => {
  let isAway = true;
  const patient = await supervised(() => (isAway ? new EngineUnavailable("It is away.") : null));
  patient.runtime.exit(patient.lobbyId);
  await until(() => patient.refusals() > 1);
  isAway = false;
  const { namespaceId, now } = patient.world;
  const seen = () => patient.world.under.engine.read({ type: "lobby", namespaceId, lobbyId: patient.lobbyId, now });
  await until(async () => (await seen())?.status === "stopped");
  await patient.supervisor.stop();

  const broken = await supervised(() => new Error("A bug."));
  broken.runtime.exit(broken.lobbyId);
  await until(() => broken.refusals() > 0);
  await broken.supervisor.stopLobbies();
  await broken.supervisor.stop();
  // Once when the server ended, once when everything was stopped.
  expect(broken.refusals()).toBe(2);
});

test("[O22] where the rules fail on a namespace, the end of a lobby is tried again only after half a minute", async () => {
  const broken = await supervised(() => new RuleFailed("The rules failed."));
  broken.runtime.exit(broken.lobbyId);
  await until(() => broken.refusals() > 0);
  const endsAt = performance.now() + 3_000;
  await until(() => performance.now() > endsAt);
  expect(broken.refusals()).toBe(1);
  // Nor does the pause keep the service from stopping.
  await broken.supervisor.stop();
});
