import { expect, test } from "vitest";
import { createTwinWatch } from "./beat-watch.ts";

test("a twin is one that is seen three times in a row; what was seen before a pause does not count", () => {
  let twins = 0;
  const note = createTwinWatch(() => twins++);
  for (const isSeen of [true, true, false, true, true, false, true, true]) note(isSeen);
  expect(twins).toBe(0);
  note(true);
  expect(twins).toBe(1);
  note(true);
  expect(twins).toBe(1);
});
