import { expect, onTestFinished, test, vi } from "vitest";
import { createStallWatch } from "./stall-watch.ts";

function watchAt(start: number) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = start;
  const stalls: number[] = [];
  const watch = createStallWatch({ steadyNow: () => now, onStall: (ms) => stalls.push(ms) });
  return {
    watch,
    stalls,
    pass(ms: number) {
      now += ms;
    },
  };
}

test("[FA3] a pause of more than 5 s is noted once, whether a call or the timer comes first", () => {
  const { watch, stalls, pass } = watchAt(100);
  // A long start moves the clocks of lobbies, and is no warning.
  pass(60_000);
  expect([watch.hasStalled(), stalls]).toEqual([true, []]);
  pass(5_000);
  expect(watch.hasStalled()).toBe(false);
  pass(5_001);
  expect([watch.hasStalled(), watch.hasStalled()]).toEqual([true, false]);
  pass(60_000);
  vi.advanceTimersByTime(500);
  expect([watch.hasStalled(), watch.hasStalled()]).toEqual([true, false]);
  expect(stalls).toEqual([5_001, 60_000]);
  watch.stop();
});

test("[FA3] a process that runs but gets no calls has not stalled", () => {
  const { watch, stalls, pass } = watchAt(0);
  for (let i = 0; i < 100; i++) {
    pass(500);
    vi.advanceTimersByTime(500);
  }
  expect([watch.hasStalled(), stalls]).toEqual([false, []]);
  watch.stop();
});
