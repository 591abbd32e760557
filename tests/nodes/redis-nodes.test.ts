import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import type { RedisLink } from "../../src/engine/redis/link.ts";
import type { Nodes } from "../../src/nodes/nodes.ts";
import { joinNodes } from "../../src/nodes/redis-nodes.ts";
import { eventually, openLink } from "./link.ts";

interface Joined {
  readonly nodes: Nodes;
  readonly clock: { skewMs: number };
  twins: number;
}

async function join(link: RedisLink, prefix: string, nodeId: string, room = 4): Promise<Joined> {
  const clock = { skewMs: 0 };
  const joined = { clock, twins: 0 };
  const nodes = await joinNodes({
    link,
    prefix,
    nodeId,
    instanceId: randomUUID(),
    graceMs: 6_000,
    status: () => ({ regions: nodeId === "b" ? ["far"] : null, room }),
    steadyNow: () => performance.now() + clock.skewMs,
    onTwin: () => {
      joined.twins += 1;
    },
    onFault() {},
  });
  onTestFinished(() => nodes.leave(true).catch(() => {}));
  return Object.assign(joined, { nodes });
}

test("[ND2] the first node has the lease, the others see it and one another", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  const b = await join(link, prefix, "b", 7);
  expect(a.nodes.lease()).not.toBeNull();
  expect(b.nodes.lease()).toBeNull();
  await a.nodes.tell();
  expect(a.nodes.all()).toEqual([
    { nodeId: "a", regions: null, room: 4, isAlive: true, isLost: false },
    { nodeId: "b", regions: ["far"], room: 7, isAlive: true, isLost: false },
  ]);
});

test("[ND2] a node that leaves gives the lease away at once, with a higher fence", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  const b = await join(link, prefix, "b");
  const before = a.nodes.lease()!.fence!;
  let got = 0;
  b.nodes.onLease(() => {
    got += 1;
  });
  await a.nodes.leave(false);
  expect(a.nodes.lease()).toBeNull();
  await b.nodes.tell();
  expect(b.nodes.lease()!.fence).toBeGreaterThan(before);
  expect(got).toBe(1);
  expect(b.nodes.all().map(({ nodeId }) => nodeId)).toEqual(["a", "b"]);
});

test("[ND2] a fence is higher than any before, also when Redis has forgotten the lease", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  const before = a.nodes.lease()!.fence!;
  await link.call("DEL", `${prefix}:{nodes}:list:lease`);
  const b = await join(link, prefix, "b");
  expect(b.nodes.lease()!.fence).toBeGreaterThan(before);
});

test("[ND2] a holder that was away for longer than the lease no longer thinks that it holds it", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  expect(a.nodes.lease()).not.toBeNull();
  a.clock.skewMs = 10_000;
  expect(a.nodes.lease()).toBeNull();
});

test("[ND4] a node that is not heard of is first not alive and then lost; whoever has the lease forgets it", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  // A node that was killed: it said something once and never again.
  const longAgo = Date.now() - 60_000;
  const status = JSON.stringify({ regions: null, room: 1, instanceId: "gone" });
  await link.call("HSET", `${prefix}:{nodes}:list`, ["killed", `${longAgo} ${status}`]);
  await a.nodes.tell();
  expect(a.nodes.all().find(({ nodeId }) => nodeId === "killed")).toMatchObject({ isAlive: false, isLost: true });
  await a.nodes.forget("killed");
  await a.nodes.tell();
  expect(a.nodes.all().map(({ nodeId }) => nodeId)).toEqual(["a"]);
});

test("[ND8] two processes that say they are one node notice it; one that took over from a killed one does not", async () => {
  const { link, prefix } = await openLink();
  const status = JSON.stringify({ regions: null, room: 1, instanceId: "killed a moment ago" });
  await link.call("HSET", `${prefix}:{nodes}:list`, ["a", `${Date.now()} ${status}`]);
  const first = await join(link, prefix, "a");
  for (let i = 0; i < 5; i++) await first.nodes.tell();
  expect(first.twins).toBe(0);
  const second = await join(link, prefix, "a");
  await eventually(async () => {
    await first.nodes.tell();
    await second.nodes.tell();
    return first.twins > 0 && second.twins > 0;
  });
});
