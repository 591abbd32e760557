import { describe, expect, test } from "vitest";
import { createRates } from "./rates.ts";

describe("createRates", () => {
  test("a window of 60 s begins with a key's first request", () => {
    const rates = createRates();
    expect(rates.take("find", "a", 2, 1000)).toEqual({ limit: 2, remaining: 1, resetS: 60, allowed: true });
    expect(rates.take("find", "a", 2, 31_000)).toEqual({ limit: 2, remaining: 0, resetS: 30, allowed: true });
    expect(rates.take("find", "a", 2, 60_999)).toEqual({ limit: 2, remaining: 0, resetS: 1, allowed: false });
    expect(rates.take("find", "a", 2, 61_000)).toEqual({ limit: 2, remaining: 1, resetS: 60, allowed: true });
  });

  test("0 means no limit and remembers nothing", () => {
    const rates = createRates();
    expect(rates.take("find", "a", 0, 0)).toBeNull();
    expect(rates.size()).toBe(0);
  });

  test("keys and classes are counted apart", () => {
    const rates = createRates();
    expect(rates.take("find", "a", 1, 0)?.allowed).toBe(true);
    expect(rates.take("find", "b", 1, 0)?.allowed).toBe(true);
    expect(rates.take("list", "a", 1, 0)?.allowed).toBe(true);
    expect(rates.take("find", "a", 1, 0)?.allowed).toBe(false);
  });

  test("a limit holds for every window, whenever it begins", () => {
    const rates = createRates();
    for (const start of [0, 59_999, 60_000, 90_000, 200_000]) {
      const key = `started at ${start}`;
      expect(rates.take("find", key, 1, start)?.allowed).toBe(true);
      for (const later of [1, 30_000, 59_999]) {
        const seen = createRates();
        seen.take("find", "first", 1, 0);
        seen.take("find", key, 1, start);
        seen.take("find", "other", 1, start + later);
        expect(seen.take("find", key, 1, start + later)?.allowed).toBe(false);
      }
    }
  });

  test("refused requests do not make the wait longer", () => {
    const rates = createRates();
    rates.take("find", "a", 1, 0);
    for (let now = 1; now < 60_000; now += 1000) expect(rates.take("find", "a", 1, now)?.allowed).toBe(false);
    expect(rates.take("find", "a", 1, 60_000)?.allowed).toBe(true);
  });

  test("a limit changed by the operator holds at once", () => {
    const rates = createRates();
    for (let count = 0; count < 5; count++) rates.take("find", "a", 10, 0);
    expect(rates.take("find", "a", 3, 1)).toEqual({ limit: 3, remaining: 0, resetS: 60, allowed: false });
    expect(rates.take("find", "a", 6, 2)).toEqual({ limit: 6, remaining: 0, resetS: 60, allowed: true });
  });

  test("a clock that goes backwards neither frees a client nor locks it out for longer than a window", () => {
    const rates = createRates();
    rates.take("find", "a", 1, 1_000_000);
    expect(rates.take("find", "a", 1, 500_000)).toEqual({ limit: 1, remaining: 0, resetS: 60, allowed: false });
    expect(rates.take("find", "a", 1, 560_000)?.allowed).toBe(true);
  });

  test("ended windows are forgotten", () => {
    const rates = createRates();
    for (let index = 0; index < 1000; index++) rates.take("find", `k${index}`, 1, index);
    rates.take("find", "later", 1, 61_000);
    rates.take("find", "later", 1, 122_000);
    expect(rates.size()).toBeLessThanOrEqual(2);
    rates.take("find", "much later", 1, 10_000_000);
    expect(rates.size()).toBe(1);
  });

  test("never more than the maximum of keys; the newest are kept", () => {
    const rates = createRates({ keysMax: 100 });
    for (let index = 0; index < 10_000; index++) {
      rates.take("find", `k${index}`, 1, index % 7);
      expect(rates.size()).toBeLessThanOrEqual(100);
    }
    for (let index = 9950; index < 10_000; index++) expect(rates.take("find", `k${index}`, 1, 10)?.allowed).toBe(false);
    expect(rates.take("find", "k0", 1, 10)?.allowed).toBe(true);
  });
});
