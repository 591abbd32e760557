import { expect, inject, test } from "vitest";
import { createLog } from "../../src/ground/log.ts";
import { createSweepNamespaces } from "../../src/loops/sweep-namespaces.ts";
import { type Lease, onlyNode } from "../../src/nodes/nodes.ts";
import { listNamespaceIds } from "../../src/store/namespaces.ts";
import { deleteNamespace, emptyStore, storedNamespace } from "../store/fixtures.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { World } from "../support/world.ts";

closeAfterEach();

const log = createLog({ level: "silent", format: "json" });

/** Namespaces with a lobby each that the engine and the store know; the node has the lease until the test takes it away. */
async function open(count: number) {
  const url = inject("redisUrl");
  const under = underTest(await openEngine(url), url);
  const db = await emptyStore("postgresql");
  const worlds: World[] = [];
  for (let i = 0; i < count; i++) {
    const world = new World(under, (await storedNamespace(db)).namespaceId, { next: i * 1000 });
    await world.configure();
    await world.starting({ isExternal: true });
    worlds.push(world);
  }
  const [world] = worlds as [World];
  const holding: { lease: Lease | null } = { lease: { fence: 7 } };
  const nodes = {
    ...onlyNode("alone", () => ({
      version: null,
      startedAt: null,
      regions: null,
      room: 0,
      places: 0,
      held: new Map(),
      asked: [],
    })),
    lease: () => holding.lease,
  };
  const namespaceIds = () => listNamespaceIds(db);
  const sweep = createSweepNamespaces({ engine: under.engine, nodes, log, now: () => world.now, namespaceIds });
  const living = () =>
    Promise.all(
      worlds.map(async (one) => {
        const { starting, ready } = await one.read({ type: "counts" });
        return starting + ready;
      }),
    );
  const forgetRow = (index: number) => deleteNamespace(db, worlds[index]!.namespaceId);
  return { worlds, holding, sweep, living, forgetRow };
}

test("[ND14] a namespace without a row is removed at the second look, and those with one stay", async () => {
  const { worlds, sweep, living, forgetRow } = await open(3);
  await sweep();
  await sweep();
  expect(await living()).toEqual([1, 1, 1]);
  await forgetRow(1);
  await sweep();
  expect(await living()).toEqual([1, 1, 1]);
  await sweep();
  expect(await living()).toEqual([1, 0, 1]);
  await sweep();
  expect((await worlds[1]!.read({ type: "counts" })).revision).toBeNull();
});

test("[ND14] [ND2] without the lease nothing is removed, and the first check after it returned does not count as the second", async () => {
  const { holding, sweep, living, forgetRow } = await open(2);
  await forgetRow(0);
  await sweep();
  holding.lease = null;
  await sweep();
  holding.lease = { fence: 8 };
  await sweep();
  expect(await living()).toEqual([1, 1]);
  await sweep();
  expect(await living()).toEqual([0, 1]);
});

test("[ND14] a store without any namespace removes nothing", async () => {
  const { sweep, living, forgetRow } = await open(1);
  await forgetRow(0);
  for (let look = 0; look < 3; look++) await sweep();
  expect(await living()).toEqual([1]);
});
