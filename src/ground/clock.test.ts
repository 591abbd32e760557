import { describe, expect, test } from "vitest";
import { createClock } from "./clock.ts";

const start = Date.UTC(2031, 0, 1);
const hourMs = 3_600_000;

/** A clock whose two sources the test moves. `pass` lets time go by, looking at the wall clock once a second. */
function world() {
  const at = { wall: start, steady: 5_000.5 };
  const said: (number | "together")[] = [];
  const clock = createClock({
    wall: () => at.wall,
    steady: () => at.steady,
    onApart: (aheadMs) => said.push(aheadMs),
    onTogether: () => said.push("together"),
  });
  const look = () => clock.follow(at.wall - clock.now());
  const move = (ms: number) => {
    at.wall += ms;
    at.steady += ms;
  };
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      move(Math.min(left, 1_000));
      look();
    }
  };
  return { at, clock, look, move, pass, said };
}

describe("the core's time", () => {
  test("[CK1] starts with the wall clock and continues with the monotonic one, in whole milliseconds", () => {
    const { at, clock } = world();
    expect(clock.now()).toBe(start);
    at.steady += 1_234.75;
    expect(clock.now()).toBe(start + 1_234);
  });

  test.each([hourMs, -hourMs])("[CK1] a step of the wall clock by %s ms does not move it", (step) => {
    const { at, clock, look } = world();
    at.wall += step;
    look();
    expect(clock.now()).toBe(start);
  });

  test.each([hourMs, -hourMs])(
    "[CK2] a wall clock that is %s ms apart is said once and followed by 1 s in 10",
    (step) => {
      const { at, clock, look, pass, said } = world();
      at.wall += step;
      look();
      pass(10_000);
      expect(clock.now()).toBe(start + 10_000 + Math.sign(step) * 1_000);
      expect(said).toEqual([step]);
    },
  );

  test.each([1_500, -1_500])("[CK2] it is followed until both agree, and no further (%s ms)", (step) => {
    const { at, clock, look, pass, said } = world();
    at.wall += step;
    look();
    pass(60_000);
    expect(Math.abs(at.wall - clock.now())).toBeLessThan(50);
    expect(said).toEqual([step, "together"]);
  });

  test("[CK2] not read for a long time: it does not pass the wall clock it has seen", () => {
    const { at, clock, look, move } = world();
    at.wall += 1_500;
    look();
    move(hourMs);
    expect(clock.now()).toBe(at.wall);
  });

  test("[CK2] a wall clock that is at most a second apart is left alone", () => {
    const { at, clock, look, pass, said } = world();
    at.wall += 1_000;
    look();
    pass(10_000);
    expect([clock.now(), said]).toEqual([start + 10_000, []]);
  });

  test("[CK2] an hour ahead for two seconds and back: no effect remains", () => {
    const { at, clock, look, pass, said } = world();
    at.wall += hourMs;
    look();
    pass(2_000);
    at.wall -= hourMs;
    look();
    expect(clock.now()).toBe(start + 2_200);
    pass(5_000);
    expect(Math.abs(at.wall - clock.now())).toBeLessThan(50);
    expect(said).toEqual([hourMs, "together"]);
  });

  test("[CK1] it never runs backwards, whatever the wall clock does", () => {
    const { at, clock, look } = world();
    let before = clock.now();
    for (let i = 0; i < 2_000; i++) {
      at.steady += (i * 7) % 400;
      at.wall += ((i * 7_919) % 100_000) - 50_000;
      if (i % 3 === 0) look();
      const now = clock.now();
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  });

  test("[CK3] it starts no earlier than the last time that is known", () => {
    const { at, clock } = world();
    clock.startAt(start - 10);
    expect(clock.now()).toBe(start);
    clock.startAt(start + hourMs);
    at.steady += 7;
    expect(clock.now()).toBe(start + hourMs + 7);
  });
});
