import { describe, expect, test } from "vitest";
import { createActivity, type NodeActivity } from "./activity.ts";
import { mergeActivity } from "./merge-activity.ts";

const start = Date.UTC(2031, 0, 1);

function setUp(bytesMax?: number) {
  let now = start;
  const activity = createActivity(() => now, bytesMax);
  return {
    activity,
    pass(seconds: number) {
      now += seconds * 1000;
    },
    last: (steps: number, stepMs = 10_000) => ({
      startMs: (Math.floor(now / stepMs) - steps + 1) * stepMs,
      stepMs,
      steps,
    }),
  };
}

const merged = (all: (NodeActivity | null)[], steps: number) =>
  mergeActivity(
    all.filter((one) => one !== null),
    { startMs: 0, stepMs: 10_000, steps },
  );

describe("activity", () => {
  test("[AC2] [AC4] counts by steps; before a namespace was counted there is null, after that 0", () => {
    const { activity, pass, last } = setUp();
    activity.count("n", "finds");
    activity.count("n", "finds");
    pass(20);
    activity.count("n", "finds");
    activity.countRefusal("n", "MATCHMAKER_LOBBY_FULL");
    const own = activity.read("n", last(5))!;
    expect(own.counts.finds).toEqual([null, null, 2, 0, 1]);
    expect(own.counts.joins).toEqual([null, null, 0, 0, 0]);
    expect(own.counts.lobbies).toEqual([null, null, null, null, null]);
    expect(own.refusals).toEqual({ MATCHMAKER_LOBBY_FULL: [null, null, 0, 0, 1] });
    expect(activity.read("other", last(5))).toBeNull();
    expect(merged([null], 2)).toMatchObject({ finds: [null, null], ready_wait_p50_ms: [null, null], refusals: {} });
  });

  test("[AC1] [AC3] longer steps sum what is in them; of several looks the last one counts", () => {
    const { activity, pass, last } = setUp();
    for (let i = 0; i < 12; i++) {
      activity.count("n", "joins");
      activity.measure("n", { lobbies: i, players: 0 }, true);
      pass(10);
    }
    pass(-10);
    expect(activity.read("n", last(3, 60_000))!.counts).toMatchObject({
      joins: [null, 6, 6],
      lobbies: [null, 5, 11],
      players: [null, 0, 0],
    });
  });

  test("[AC3] waits are given as percentiles over all nodes, at most a fifth too large", () => {
    const [a, b] = [setUp(), setUp()];
    for (let i = 0; i < 90; i++) a.activity.countWait("n", 100);
    for (let i = 0; i < 10; i++) b.activity.countWait("n", 5_000);
    b.activity.countWait("n", 10 ** 9);
    const both = merged([a.activity.read("n", a.last(2)), b.activity.read("n", b.last(2))], 2);
    expect(both.ready_wait_p50_ms[0]).toBeNull();
    expect(both.ready_wait_p50_ms[1]).toBeGreaterThanOrEqual(100);
    expect(both.ready_wait_p50_ms[1]).toBeLessThanOrEqual(120);
    expect(both.ready_wait_p95_ms[1]).toBeGreaterThanOrEqual(5_000);
    expect(both.ready_wait_p95_ms[1]).toBeLessThanOrEqual(6_000);
  });

  test("[AC5] counts of nodes are summed; what one node measures for all is taken from it", () => {
    const [a, b] = [setUp(), setUp()];
    a.activity.count("n", "finds");
    a.activity.countRefusal("n", "X");
    a.activity.measure("n", { lobbies: 3, players: 7 }, true);
    b.pass(10);
    a.pass(10);
    b.activity.count("n", "finds");
    b.activity.countRefusal("n", "Y");
    a.activity.count("n", "finds");
    // The lease moved within this step.
    a.activity.measure("n", { lobbies: 3, players: 6 }, true);
    b.activity.measure("n", { lobbies: 4, players: 5 }, true);
    expect(merged([a.activity.read("n", a.last(3)), b.activity.read("n", b.last(3)), null], 3)).toMatchObject({
      finds: [null, 1, 2],
      lobbies: [null, 3, 4],
      players: [null, 7, 6],
      refusals: { X: [null, 1, 0], Y: [null, 0, 1] },
    });
  });

  test("[AC4] the 500 namespaces used last are kept, and 6 hours of each", () => {
    const { activity, pass, last } = setUp();
    for (let i = 0; i < 500; i++) activity.count(`n${i}`, "finds");
    pass(10);
    activity.count("n0", "finds");
    // A look is no use.
    activity.measure("n1", { lobbies: 0, players: 0 }, false);
    activity.measure("unknown", { lobbies: 0, players: 0 }, false);
    for (let i = 0; i < 499; i++) activity.count(`new${i}`, "finds");
    expect(activity.namespaceIds()).toHaveLength(500);
    expect(activity.read("n0", last(1))).not.toBeNull();
    expect(activity.read("n1", last(1))).toBeNull();

    for (let i = 0; i < 5000; i++) {
      activity.count("n0", "finds");
      pass(10);
    }
    pass(-10);
    const { counts } = activity.read("n0", last(2160))!;
    expect(counts.finds).toEqual(Array(2160).fill(1));
    const perNamespace = activity.bytes() - 499 * 1920;
    expect(perNamespace).toBeLessThan(75_000);
  });

  test("[AC4] what is kept is bounded whatever happens", () => {
    const { activity, pass } = setUp(200_000);
    for (let round = 0; round < 100; round++) {
      for (let i = 0; i < 50; i++) {
        activity.count(`n${i}`, "finds");
        for (let code = 0; code < 5; code++) activity.countRefusal(`n${i}`, `CODE_${code}`);
        activity.countWait(`n${i}`, 50);
      }
      pass(600);
      expect(activity.bytes()).toBeLessThanOrEqual(200_000);
    }
    expect(activity.namespaceIds()).toContain("n49");
  });
});
