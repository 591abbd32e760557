import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { type Clock, createClock } from "../../src/ground/clock.ts";
import type { Nodes } from "../../src/nodes/nodes.ts";
import { joinNodes } from "../../src/nodes/redis-nodes.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { eventually, openLink } from "../support/redis-link.ts";

interface Joined {
  readonly nodes: Nodes;
  readonly clock: { skewMs: number; wallSkewMs: number };
  readonly core: Clock;
  /** How far Redis' clock was ahead of the core's time whenever they came apart. */
  readonly apart: readonly number[];
  readonly offsets: number[];
  /** The channels of messages that were no offers. */
  readonly unreadable: string[];
  twins: number;
}

async function join(_any: RedisLink, prefix: string, nodeId: string, room = 4): Promise<Joined> {
  // A link has one listener per channel, as a process has.
  return joinOver((await openLink()).link, prefix, nodeId, room);
}

async function joinOver(link: RedisLink, prefix: string, nodeId: string, room = 4): Promise<Joined> {
  const clock = { skewMs: 0, wallSkewMs: 0 };
  const apart: number[] = [];
  const steady = () => performance.now() + clock.skewMs;
  const core = createClock({
    wall: () => Date.now() + clock.wallSkewMs,
    steady,
    onApart: (aheadMs) => apart.push(aheadMs),
    onTogether() {},
  });
  const joined = { clock, core, apart, offsets: [] as number[], unreadable: [] as string[], twins: 0 };
  const nodes = await joinNodes({
    link,
    prefix,
    nodeId,
    instanceId: randomUUID(),
    graceMs: 6_000,
    recordFormat: 3,
    status: () => ({
      version: "1.2.3",
      startedAt: 5,
      regions: nodeId === "b" ? ["far"] : null,
      room,
      places: 9,
      held: new Map([["n", 9 - room]]),
      asked: [`far ${nodeId}`],
    }),
    steadyNow: steady,
    clock: core,
    wallClock: () => Date.now() + clock.wallSkewMs,
    onClockOff: (offsetMs) => {
      joined.offsets.push(offsetMs);
    },
    onTwin: () => {
      joined.twins += 1;
    },
    onOtherFormat() {},
    onUnreadable: (channel) => void joined.unreadable.push(channel),
    onError() {},
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
  await a.nodes.report();
  expect(a.nodes.all()).toMatchObject([
    { nodeId: "a", regions: null, room: 4, isAlive: true },
    { nodeId: "b", regions: ["far"], room: 7, isAlive: true },
  ]);
});

test("[SH6] each node reports who holds its slots and who asked for some; one of an earlier Foyer reports its room only", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  await join(link, prefix, "b", 7);
  const now = Math.floor(Date.now() + 60_000);
  const old = `${now} ${JSON.stringify({ regions: null, room: 3, instanceId: "old" })}`;
  await link.call("HSET", `${prefix}:{nodes}:list`, ["old", old]);
  await a.nodes.report();
  expect(a.nodes.all()).toMatchObject([
    { nodeId: "a", places: 9, held: new Map([["n", 5]]), asked: ["far a"] },
    { nodeId: "b", places: 9, held: new Map([["n", 2]]), asked: ["far b"] },
    { nodeId: "old", room: 3, places: 3, held: new Map(), asked: [], isAlive: true },
  ]);
});

test("[SC2] a node that joins at the same moment as one of an older format leaves again and refuses", async () => {
  const { link, prefix } = await openLink();
  const now = Math.floor(Date.now() + 60_000);
  const old = `${now} ${JSON.stringify({ regions: null, room: 3, instanceId: "old" })}`;
  await link.call("HSET", `${prefix}:{nodes}:list`, ["old", old]);
  await expect(join(link, prefix, "a")).rejects.toThrow(/Stop all nodes of the older version first/);
  expect(await link.call("HKEYS", `${prefix}:{nodes}:list`)).toEqual(["old"]);
});

test("[ND3] nodes know at once of one that comes", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  await join(link, prefix, "b");
  await eventually(() => a.nodes.all().some(({ nodeId, isAlive }) => nodeId === "b" && isAlive));
});

test("[ND2] a node that stops releases the lease immediately, and the next fence is higher", async () => {
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
  await b.nodes.report();
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
  // The node that sends its heartbeat first has it; usually the one that has just started.
  await a.nodes.report();
  const [lease, ...others] = [a, b].flatMap(({ nodes }) => nodes.lease() ?? []);
  expect(lease!.fence).toBeGreaterThan(before);
  expect(others).toEqual([]);
});

test("[ND2] a holder that was away for longer than the lease no longer thinks that it holds it", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  expect(a.nodes.lease()).not.toBeNull();
  a.clock.skewMs = 10_000;
  expect(a.nodes.lease()).toBeNull();
});

const killed = (instanceId: string, at: number) =>
  ["killed", `${at} ${JSON.stringify({ regions: null, room: 1, instanceId })}`] as const;

test("[ND4] a node counts as lost when this one could receive for the whole grace time and got no heartbeat from it", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  // It said something long ago and never again; but this node has only just begun to listen.
  await link.call("HSET", `${prefix}:{nodes}:list`, killed("gone", Date.now() - 60_000));
  await a.nodes.report();
  expect(a.nodes.all().find(({ nodeId }) => nodeId === "killed")).toMatchObject({ isAlive: false });
  expect([a.nodes.isLost("killed"), a.nodes.isLost("never received of")]).toEqual([false, false]);
  for (let second = 0; second < 6; second += 1) {
    a.clock.skewMs += 1_000;
    await a.nodes.report();
  }
  expect([a.nodes.isLost("killed"), a.nodes.isLost("never received of")]).toEqual([true, true]);
  expect(a.nodes.isLost("a")).toBe(false);
  await a.nodes.forget("killed");
  await a.nodes.report();
  expect(a.nodes.all().map(({ nodeId }) => nodeId)).toEqual(["a"]);
});

test("[ND4] a time in which Redis was away does not count against anybody", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  await link.call("HSET", `${prefix}:{nodes}:list`, killed("gone", Date.now()));
  await a.nodes.report();
  a.clock.skewMs += 60_000;
  expect(a.nodes.isLost("killed")).toBe(false);
  await a.nodes.report();
  expect(a.nodes.isLost("killed")).toBe(false);
});

test("[ND12] a node whose clock runs off says so and is in trouble until it is right again", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  expect(a.nodes.trouble()).toBeNull();
  a.clock.wallSkewMs = 90_000;
  await a.nodes.report();
  // The delay to Redis cannot be distinguished from a clock that differs less.
  expect(a.nodes.trouble()).toMatch(/clock differs from Redis. by (8\d(\.\d)?|90) s/);
  expect(a.offsets).toHaveLength(1);
  a.clock.wallSkewMs = 0;
  await a.nodes.report();
  expect(a.nodes.trouble()).toBeNull();
});

test("[CK5] the core's time follows Redis' clock, and not the wall clock of the machine", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  await a.nodes.report();
  a.clock.wallSkewMs = 3_600_000;
  await a.nodes.report();
  expect(a.apart).toEqual([]);

  a.core.startAt(a.core.now() + 90_000);
  await a.nodes.report();
  await a.nodes.report();
  // The delay to Redis cannot be distinguished from a clock that differs less.
  expect(a.apart.map((aheadMs) => Math.sign(aheadMs))).toEqual([-1]);
  const before = a.core.now();
  a.clock.skewMs += 100_000;
  expect(a.core.now() - before).toBeLessThan(95_000);
});

test("[ND8] a second process under one name refuses to start; one that takes over from a killed one waits and starts", async () => {
  const { link, prefix } = await openLink();
  await link.call("HSET", `${prefix}:{nodes}:list`, killed("killed a moment ago", Date.now()));
  const first = await join(link, prefix, "killed");
  expect(first.nodes.lease()).not.toBeNull();
  await expect(join(link, prefix, "killed")).rejects.toThrow(/Another process already runs as node killed/);
  await first.nodes.leave(false);
  const next = await join(link, prefix, "killed");
  expect(next.nodes.ownId).toBe("killed");
});

test("[ND8] two that began at the same moment notice each other", async () => {
  const { prefix } = await openLink();
  // Only what is asked at the same moment is answered before either has said anything.
  const links = [(await openLink()).link, (await openLink()).link] as const;
  const [first, second] = await Promise.all([joinOver(links[0], prefix, "a"), joinOver(links[1], prefix, "a")]);
  await eventually(async () => {
    await first.nodes.report();
    await second.nodes.report();
    return first.twins > 0 && second.twins > 0;
  });
});

test("[RT21] an offer of a lobby that a node cannot read is skipped and logged, and the next one is received", async () => {
  const { link, prefix } = await openLink();
  const a = await join(link, prefix, "a");
  const b = await join(link, prefix, "b");
  const offered: unknown[] = [];
  b.nodes.onOffer((lobby) => offered.push(lobby));
  const channel = `${prefix}:offers:b`;
  const texts = ["", "{", "null", "7", "[]", '{"lobbyId":"x"}', '{"namespaceId":1,"lobbyId":"x"}'];
  for (const text of texts) await link.call("PUBLISH", channel, [text]);
  const lobby = { namespaceId: "n", lobbyId: "x", insteadOf: "c" };
  await a.nodes.offer("b", lobby);
  await eventually(() => offered.length > 0);
  expect(offered).toEqual([lobby]);
  expect(b.unreadable).toEqual(texts.map(() => channel));
});
