import { expect, test } from "vitest";
import { fittingCount } from "./pagination.ts";

test("[T46] as many entries fit into a page as make 1 MiB of JSON, and one at least", () => {
  const entry = { text: "é".repeat(128 * 1024) };
  expect(fittingCount([])).toBe(0);
  expect(fittingCount([entry, entry, entry])).toBe(3);
  // A quarter of a MiB each, and a little more for the rest of the JSON.
  expect(fittingCount([entry, entry, entry, entry, entry])).toBe(3);
  const large = { text: "x".repeat(2 * 1024 * 1024) };
  expect(fittingCount([large, large])).toBe(1);
});
