import { expect, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
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
