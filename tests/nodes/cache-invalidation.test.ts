import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createCacheInvalidation } from "../../src/nodes/cache-invalidation.ts";
import { openLink } from "../support/redis-link.ts";

async function createPair() {
  const { link, prefix } = await openLink();
  const open = () => {
    const store = createCacheInvalidation({ link, prefix, newId: randomUUID, onError() {} });
    const heard: unknown[] = [];
    store.onChange((change) => heard.push(change));
    onTestFinished(() => store.close());
    return { store, heard, changes: () => heard.length };
  };
  return { here: open(), there: open(), link, prefix };
}

test("[ND1] a check after a change was announced reports it; checks before and after report nothing", async () => {
  const { here, there } = await createPair();
  await there.store.check();
  const before = there.changes();
  await there.store.check();
  expect(there.changes()).toBe(before);
  const finish = await here.store.begin();
  await there.store.check();
  expect(there.changes()).toBe(before);
  await finish("everything");
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
  await finish("everything");
  const before = there.changes();
  const late = [there.store.check(), there.store.check(), there.store.check()];
  await Promise.all([early, ...late]);
  expect(there.changes()).toBe(Math.max(before, 2));
});

test("[ND1] after a lost connection everything is unconfirmed, and changes announced since are known", async () => {
  const { here, there } = await createPair();
  await (await here.store.begin())("everything");
  await there.store.check();
  const before = there.changes();
  there.store.invalidate();
  await there.store.check();
  expect(there.heard.slice(before)).toEqual(["unconfirmed"]);
  there.store.invalidate();
  await (await here.store.begin())(["a-game"]);
  await there.store.check();
  expect(there.heard.slice(before + 1)).toEqual([["a-game"], "unconfirmed"]);
});

test("[RF25] [ND1] a change announces its subjects, one that was not made announces nothing, in their order", async () => {
  const { here, there, link, prefix } = await createPair();
  await (await here.store.begin())("everything");
  await there.store.check();
  const before = there.changes();
  await (await here.store.begin())(null);
  await there.store.check();
  expect(there.changes()).toBe(before);
  expect(await link.call("ZCARD", `${prefix}:{nodes}:writes`)).toBe(0);

  for (const change of [["one", "two"], [], "unconfirmed", ["three"]] as const)
    await (await here.store.begin())(change);
  await there.store.check();
  expect(there.heard.slice(before)).toEqual([["one", "two"], [], "unconfirmed", ["three"]]);
});

test("[ND1] a node that has not looked for more changes than are listed forgets everything", async () => {
  const { here, there, link, prefix } = await createPair();
  await (await here.store.begin())(["first"]);
  await there.store.check();
  const before = there.changes();
  await (await here.store.begin())(["second"]);
  await link.call("LTRIM", `${prefix}:{nodes}:changes:log`, [0, 0]);
  await there.store.check();
  expect(there.heard.slice(before)).toEqual(["everything"]);
});

test("[ND1] a node that announces by the name alone, as older ones do, is understood as a change of everything", async () => {
  const { here, there, link, prefix } = await createPair();
  await (await here.store.begin())(["first"]);
  await there.store.check();
  const before = there.changes();
  await link.call("SET", `${prefix}:{nodes}:changes`, ["an-older-node 1 2"]);
  await there.store.check();
  await there.store.check();
  expect(there.heard.slice(before)).toEqual(["everything"]);
});

test("[ND9] a change whose node died before it could announce it is announced by the sweep", async () => {
  const { here, there, link, prefix } = await createPair();
  await (await here.store.begin())("everything");
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
  expect(there.heard.slice(before)).toEqual(["unconfirmed"]);
  expect(await link.call("ZCARD", key)).toBe(0);
});

test("[ND1] a change that is announced twice, with another in between, is never taken for the one before", async () => {
  const { here, there } = await createPair();
  const finishFirst = await here.store.begin();
  await finishFirst("everything");
  await there.store.check();
  const finishSecond = await here.store.begin();
  await finishSecond("everything");
  await finishFirst("everything");
  const before = there.changes();
  await there.store.check();
  expect(there.heard.slice(before)).toEqual(["everything", "everything"]);
});

test("[ND9] a change with an unknown outcome is announced immediately and kept for the sweep", async () => {
  const { here, there, link, prefix } = await createPair();
  await there.store.check();
  const before = there.changes();
  const finish = await here.store.begin();
  await finish("unconfirmed");
  await there.store.check();
  expect(there.changes()).toBe(before + 1);
  expect(await link.call("ZCARD", `${prefix}:{nodes}:writes`)).toBe(1);
});
