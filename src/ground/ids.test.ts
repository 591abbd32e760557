import { expect, test } from "vitest";
import { createIds, createRequestIds } from "./ids.ts";

const versionSeven = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids are version 7 UUIDs, all different, in the order in which they were made", () => {
  const newId = createIds(() => 1_800_000_000_000);
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => versionSeven.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual([...ids].sort());
});

test("a clock that goes backwards does not make ids go backwards", () => {
  const times = [5_000, 4_000, 1, 6_000];
  const newId = createIds(() => times.shift()!);
  const ids = [newId(), newId(), newId(), newId()];
  expect(ids).toEqual([...ids].sort());
});

test("the time is the first 48 bits", () => {
  expect(createIds(() => 0x0123456789ab)().startsWith("01234567-89ab-7")).toBe(true);
});

test("request ids differ", () => {
  const newRequestId = createRequestIds("a");
  expect([newRequestId(), newRequestId()]).toEqual(["a-1", "a-2"]);
});
