import { expect, test } from "vitest";
import { codeCandidates, codeSymbols, createCodes } from "./codes.ts";

test("[CO6] codes have the wanted length and only symbols that cannot be mistaken, each of them as often as any other", () => {
  const newCodes = createCodes();
  const counts = new Map([...codeSymbols].map((symbol) => [symbol, 0]));
  const wanted = 400;
  while ([...counts.values()].some((count) => count < wanted)) {
    for (const code of newCodes(10)) {
      expect(code).toMatch(/^[BCDFGHJKMNPQRSTVWXYZ23456789]{10}$/);
      for (const symbol of code) counts.set(symbol, counts.get(symbol)! + 1);
    }
  }
  expect(Math.max(...counts.values())).toBeLessThan(2 * wanted);
});

test("[CO6] there are eight candidates, and those of two calls differ", () => {
  const [newCodes, others] = [createCodes(), createCodes()];
  const all = [...newCodes(8), ...newCodes(8), ...others(8)];
  expect(all).toHaveLength(3 * codeCandidates);
  expect(new Set(all).size).toBe(all.length);
});
