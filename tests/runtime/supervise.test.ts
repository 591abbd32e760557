import { expect, test } from "vitest";
import { type Engine, EngineUnavailable } from "../../src/engine/engine.ts";
import { createEventHub } from "../../src/engine/memory/events.ts";
import { createMemoryJournal } from "../../src/engine/memory/journal.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createLog } from "../../src/log.ts";
import { supervise } from "../../src/loops/supervise.ts";
import type { LobbyView } from "../../src/matchmaker/commands.ts";
import { createStartGate } from "../../src/runtime/start-gate.ts";
import { World } from "../conformance/world.ts";
import { until } from "../http/harness.ts";
import { createFakeRuntime } from "../http/matchmaker/fake-runtime.ts";

test("[RD10] [ND3] a node that missed events starts what was placed on it and stops what has ended", async () => {
  const engine = await createMemoryEngine(createMemoryJournal());
  const under = { engine, check: () => [], restart: () => Promise.reject(new Error("Not this one.")) };
  const world = new World(under, "eeeeeeee-0000-7000-8000-00000000000e", { next: 0 });
  await world.configure();
  const runtime = createFakeRuntime();
  // It hears nothing at all.
  const silent: Engine = { ...engine, events: createEventHub().subscribe };
  const describe = async (namespaceId: string, { lobbyId }: LobbyView) => {
    return { namespaceId, lobbyId, command: "node", args: [], cwd: null, env: {}, ports: {} };
  };
  const supervisor = await supervise({
    engine: silent,
    runtime,
    gate: createStartGate(),
    log: createLog({ level: "silent", format: "json" }),
    ownId: "own",
    now: () => world.now,
    describe,
    portsText: () => "{}",
    counted() {},
    noteExit: async () => {},
  });
  const [own, elsewhere, ended] = [await world.starting(), await world.starting(), await world.starting()];
  const place = (lobbyId: string, nodeId: string) =>
    world.execute<"placeLobby">({ type: "placeLobby", lobbyId, nodeId });
  await place(own.id, "own");
  await place(elsewhere.id, "other");
  await place(ended.id, "own");

  await supervisor.lookAgain(world.namespaceId);
  await until(async () => (await runtime.list()).length === 2);
  expect(await runtime.list()).toEqual([own.id, ended.id]);
  await world.stop(ended.id);
  await supervisor.lookAgain(world.namespaceId);
  await until(() => runtime.stops.length === 1);
  expect([runtime.stops, runtime.starts.length]).toEqual([[ended.id], 2]);
  await supervisor.stop();
});

/** A lobby that runs, and an engine that refuses to hear of its end as `refuse` says. */
async function supervised(refuse: () => Error | null) {
  const engine = await createMemoryEngine(createMemoryJournal());
  const under = { engine, check: () => [], restart: () => Promise.reject(new Error("Not this one.")) };
  const world = new World(under, "eeeeeeee-0000-7000-8000-00000000000f", { next: 0 });
  await world.configure();
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
  const supervisor = await supervise({
    engine: refusing,
    runtime,
    gate: createStartGate(),
    log: createLog({ level: "silent", format: "json" }),
    ownId: null,
    now: () => world.now,
    describe: async (namespaceId, { lobbyId }) => {
      return { namespaceId, lobbyId, command: "node", args: [], cwd: null, env: {}, ports: {} };
    },
    portsText: () => "{}",
    counted() {},
    noteExit: async () => {},
  });
  const lobby = await world.starting();
  await until(() => runtime.isRunning(lobby.id));
  return { world, runtime, supervisor, lobbyId: lobby.id, refusals: () => refusals };
}

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
