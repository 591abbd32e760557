import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createSharedStore } from "../../src/nodes/shared-store.ts";
import { openLink } from "./link.ts";

async function createPair() {
  const { link, prefix } = await openLink();
  const open = () => {
    const store = createSharedStore({ link, prefix, newId: randomUUID, onFault() {} });
    let changes = 0;
    store.onChange(() => {
      changes += 1;
    });
    onTestFinished(() => store.close());
    return { store, changes: () => changes };
  };
  return { here: open(), there: open(), link, prefix };
}

test("[ND1] whoever checks after a change has been announced hears of it; before and again after, nothing", async () => {
  const { here, there } = await createPair();
  await there.store.check();
  const before = there.changes();
  await there.store.check();
  expect(there.changes()).toBe(before);
  const finish = await here.store.begin();
  await there.store.check();
  expect(there.changes()).toBe(before);
  await finish(true);
  await there.store.check();
  expect(there.changes()).toBe(before + 1);
  await there.store.check();
  expect(there.changes()).toBe(before + 1);
});

test("[ND1] checks that come while one is under way are not answered by that one", async () => {
  const { here, there } = await createPair();
  await there.store.check();
  const early = there.store.check();
  const finish = await here.store.begin();
  await finish(true);
  const before = there.changes();
  const late = [there.store.check(), there.store.check(), there.store.check()];
  await Promise.all([early, ...late]);
  expect(there.changes()).toBe(Math.max(before, 2));
});

test("[ND1] after a lost connection everything counts as changed", async () => {
  const { there } = await createPair();
  await there.store.check();
  const before = there.changes();
  there.store.doubt();
  await there.store.check();
  expect(there.changes()).toBe(before + 1);
});

test("[ND9] a change whose node died before it could announce it is announced by the sweep", async () => {
  const { here, there, link, prefix } = await createPair();
  await here.store.begin();
  await there.store.check();
  const before = there.changes();
  await there.store.sweep();
  await there.store.check();
  expect(there.changes()).toBe(before);
  // As if the change had begun two minutes ago.
  const key = `${prefix}:{nodes}:writes`;
  const [writeId] = (await link.call("ZRANGE", key, [0, -1])) as string[];
  await link.call("ZADD", key, [Date.now() - 120_000, writeId!]);
  await there.store.sweep();
  await there.store.check();
  expect(there.changes()).toBe(before + 1);
  expect(await link.call("ZCARD", key)).toBe(0);
});

test("[ND1] a change that is announced twice, with another in between, is never taken for the one before", async () => {
  const { here, there } = await createPair();
  const finishFirst = await here.store.begin();
  await finishFirst(true);
  await there.store.check();
  const finishSecond = await here.store.begin();
  await finishSecond(true);
  await finishFirst(true);
  const before = there.changes();
  await there.store.check();
  expect(there.changes()).toBe(before + 1);
});

test("[ND9] a change of which nobody knows whether it was made is announced at once and kept for the sweep", async () => {
  const { here, there, link, prefix } = await createPair();
  await there.store.check();
  const before = there.changes();
  const finish = await here.store.begin();
  await finish(false);
  await there.store.check();
  expect(there.changes()).toBe(before + 1);
  expect(await link.call("ZCARD", `${prefix}:{nodes}:writes`)).toBe(1);
});
