import { expect, test } from "vitest";
// Plain JavaScript, as every script of the repository.
// @ts-expect-error
import { wasStarvedBetween } from "../../scripts/starved.mjs";

const look = (at: number, total: number, stolen: number) => ({ at, total, stolen });

test("a machine that is merely busy is not starved", () => {
  expect(wasStarvedBetween(look(0, 0, 0), look(1_000, 200, 0))).toBe(false);
  expect(wasStarvedBetween(look(0, 1_000, 500), look(1_900, 1_200, 540))).toBe(false);
});

test("a machine is starved when its host gave a fifth of its processors to others", () => {
  expect(wasStarvedBetween(look(0, 1_000, 500), look(1_000, 1_200, 541))).toBe(true);
});

test("a machine is starved when a timer came a second too late", () => {
  expect(wasStarvedBetween(look(0, 0, 0), look(2_001, 200, 0))).toBe(true);
});

test("where nothing is known about the processors, only the timer counts", () => {
  expect(wasStarvedBetween(look(0, 0, 0), look(1_000, 0, 0))).toBe(false);
});
