import { expect, test } from "vitest";
import { createNodeProofs } from "./node-proof.ts";

const secret = Buffer.alloc(32, 1);
const other = Buffer.alloc(32, 2);
let now = 1_000_000;
const proofsOf = (own: Buffer, previousSecret: Buffer | null = null) =>
  createNodeProofs({ secret: own, previousSecret, nodeId: "node-a", now: () => now });

test("[GW31] a proof of the same secret is accepted for 30 seconds, from either side", () => {
  const [, header] = proofsOf(secret).prove();
  const { check } = proofsOf(secret);
  const made = now;
  for (const [at, isValid] of [
    [made, true],
    [made + 30_000, true],
    [made + 30_001, false],
    [made - 30_000, true],
    [made - 30_001, false],
  ] as const) {
    now = at;
    expect(check(header)).toBe(isValid);
  }
  now = made;
});

test("[GW31] the previous secret is accepted, another one is not, and neither is a changed claim", () => {
  const [, header = ""] = proofsOf(other).prove();
  expect(proofsOf(secret, other).check(header)).toBe(true);
  expect(proofsOf(secret).check(header)).toBe(false);
  const { check } = proofsOf(other);
  expect(check(header)).toBe(true);
  expect(check(header.replace("node-a", "node-b"))).toBe(false);
  expect(check(header.replace(/^\d+/, String(now + 1)))).toBe(false);
  for (const bad of [undefined, "", " ", "x", `${now} node-a`, `${now} node-a `, [header, header], `${header}x`])
    expect(check(bad)).toBe(false);
});
