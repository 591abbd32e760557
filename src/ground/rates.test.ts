import { describe, expect, test } from "vitest";
import { createRates, takeForClient } from "./rates.ts";

describe("createRates", () => {
  test("a window of 60 s begins with a key's first request", () => {
    const rates = createRates();
    expect(rates.take("find", "a", 2, 1000)).toMatchObject({ limit: 2, remaining: 1, resetS: 60, allowed: true });
    expect(rates.take("find", "a", 2, 31_000)).toMatchObject({ limit: 2, remaining: 0, resetS: 30, allowed: true });
    expect(rates.take("find", "a", 2, 60_999)).toMatchObject({ limit: 2, remaining: 0, resetS: 1, allowed: false });
    expect(rates.take("find", "a", 2, 61_000)).toMatchObject({ limit: 2, remaining: 1, resetS: 60, allowed: true });
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
    expect(rates.take("find", "a", 3, 1)).toMatchObject({ limit: 3, remaining: 0, resetS: 60, allowed: false });
    expect(rates.take("find", "a", 6, 2)).toMatchObject({ limit: 6, remaining: 0, resetS: 60, allowed: true });
  });

  test("a clock that goes backwards neither frees a client nor locks it out for longer than a window", () => {
    const rates = createRates();
    rates.take("find", "a", 1, 1_000_000);
    expect(rates.take("find", "a", 1, 500_000)).toMatchObject({ limit: 1, remaining: 0, resetS: 60, allowed: false });
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

describe("amounts", () => {
  test("[RA1] a request for more than is left takes nothing, and a smaller one succeeds", () => {
    const rates = createRates();
    expect(rates.take("seats", "a", 10, 0, 8)).toMatchObject({ allowed: true, remaining: 2 });
    expect(rates.take("seats", "a", 10, 0, 3)).toMatchObject({ allowed: false, remaining: 2 });
    expect(rates.take("seats", "a", 10, 0, 2)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test("[RA2] what is returned can be taken again, and only in its own window", () => {
    const rates = createRates();
    const first = rates.take("seats", "a", 10, 0, 8);
    rates.take("seats", "a", 10, 0, 5)?.giveBack();
    expect(rates.take("seats", "a", 10, 0, 1)?.remaining).toBe(1);
    first?.giveBack();
    expect(rates.take("seats", "a", 10, 0, 1)?.remaining).toBe(8);
    const late = rates.take("seats", "a", 10, 59_000, 8);
    expect(rates.take("seats", "a", 10, 60_000, 6)?.remaining).toBe(4);
    late?.giveBack();
    expect(rates.take("seats", "a", 10, 60_000, 1)?.remaining).toBe(3);
  });
});

describe("clients and their networks", () => {
  const client = (number: number) => ({ id: `2001:db8:0:${number}::/64`, network: "2001:db8::/48" });

  test("[RA3] a network has four times the budget of a client; a client refused because of it has spent nothing", () => {
    const rates = createRates();
    const take = (number: number, amount = 1) => takeForClient(rates, "find", client(number), 3, 0, amount);
    expect(take(1, 3)?.allowed).toBe(true);
    expect(take(1)).toMatchObject({ allowed: false, limit: 3 });
    for (let number = 2; number <= 4; number++) expect(take(number, 3)?.allowed).toBe(true);
    expect(take(5)).toMatchObject({ allowed: false, limit: 12 });
    expect(takeForClient(rates, "find", { id: client(5).id, network: null }, 3, 0, 3)?.allowed).toBe(true);
    expect(takeForClient(rates, "find", { id: "192.0.2.1", network: null }, 3, 0, 3)?.allowed).toBe(true);
  });

  test("[RA3] a network that has nothing left adds no windows, so it cannot push out those of others", () => {
    const rates = createRates();
    for (let number = 1; number <= 5; number++) takeForClient(rates, "find", client(number), 1, 0);
    const size = rates.size();
    for (let number = 6; number <= 100; number++) takeForClient(rates, "find", client(number), 1, 0);
    expect(rates.size()).toBe(size);
  });

  test("[RA3] both are given back, and the answer is the one that leaves less", () => {
    const rates = createRates();
    const taken = [1, 2, 3].map((number) => takeForClient(rates, "seats", client(number), 10, 0, 10));
    expect(takeForClient(rates, "seats", client(4), 10, 0, 9)).toMatchObject({
      allowed: true,
      limit: 10,
      remaining: 1,
    });
    expect(takeForClient(rates, "seats", client(5), 10, 0, 1)).toMatchObject({ limit: 40, remaining: 0 });
    for (const one of taken) one?.giveBack();
    expect(takeForClient(rates, "seats", client(1), 10, 0, 10)?.allowed).toBe(true);
    expect(takeForClient(rates, "seats", client(6), 10, 0, 10)?.allowed).toBe(true);
  });
});
