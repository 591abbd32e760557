import { expect, test } from "vitest";
import { createClientLines } from "./client-lines.ts";

test("[FG1] a client that has waited alone has its turns when another one comes", () => {
  const lines = createClientLines<string>();
  for (const item of ["a1", "a2", "a3", "a4", "a5"]) lines.add("a", item);
  const taken = [lines.takeNext(), lines.takeNext(), lines.takeNext()];
  for (const item of ["b1", "b2", "b3"]) lines.add("b", item);
  while (lines.count() > 0) taken.push(lines.takeNext());
  expect(taken.map(({ item }) => item).join(" ")).toBe("a1 a2 a3 b1 a4 b2 a5 b3");
});
