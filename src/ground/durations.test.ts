import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { addDurations } from "./durations.ts";

test("durations are shown as prom-client's own histogram shows them", async () => {
  const own = new Registry();
  const theirs = new Registry();
  const note = addDurations(own, "waits_seconds", "How long it took.", "operation");
  const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 60];
  const registers = [theirs];
  const histogram = new Histogram({
    name: "waits_seconds",
    help: "How long it took.",
    labelNames: ["operation"],
    buckets,
    registers,
  });
  expect(await own.metrics()).toBe(await theirs.metrics());
  for (const [operation, seconds] of [
    ["find", 0],
    ["find", 0.0005],
    ["join", 0.02],
    ["find", 0.00051],
    ["find", 60],
    ["join", 61],
  ] as const) {
    note(operation, seconds);
    histogram.labels(operation).observe(seconds);
  }
  expect(await own.metrics()).toBe(await theirs.metrics());
});
