import { expect, test } from "vitest";
import { createRecent } from "./bounded-cache.ts";
import { createDerivedTokens, nodeTagOf } from "./tokens.ts";

const lobby = {
  kind: "lobby",
  namespaceId: "01890000-0000-7000-8000-000000000001",
  lobbyId: "01890000-0000-7000-8000-000000000002",
} as const;

test("a lobby token that was read before is read again, and a changed one is still none", () => {
  const tokens = createDerivedTokens(Buffer.alloc(32, 1), null);
  const text = tokens.make(lobby);
  const changed = `${text.slice(0, -1)}${text.endsWith("A") ? "E" : "A"}`;
  for (let i = 0; i < 3; i++) {
    expect(tokens.read(text)).toEqual(lobby);
    expect(tokens.read(changed)).toBeNull();
  }
});

test("the token of a lobby that a node runs names that node, and one without a node stays as it was", () => {
  const tokens = createDerivedTokens(Buffer.alloc(32, 1), null);
  const placed = { ...lobby, nodeTag: nodeTagOf("node-a") };
  expect(tokens.read(tokens.make(placed))).toEqual(placed);
  expect(tokens.read(tokens.make(lobby))).toEqual(lobby);
  expect(nodeTagOf("node-b")).not.toBe(placed.nodeTag);
});

test("the cache of one installation does not affect another", () => {
  const tokens = createDerivedTokens(Buffer.alloc(32, 1), null);
  const text = tokens.make(lobby);
  expect(tokens.read(text)).toEqual(lobby);
  expect(createDerivedTokens(Buffer.alloc(32, 2), null).read(text)).toBeNull();
});

test("of recent tokens, those that are not sent again are forgotten first", () => {
  const recent = createRecent<number>(4);
  for (const [token, known] of Object.entries({ a: 1, b: 2, c: 3, d: 4 })) recent.set(token, known);
  expect(recent.get("a")).toBe(1);
  recent.set("e", 5);
  recent.set("f", 6);
  expect(["a", "b", "e", "f"].map((token) => recent.get(token))).toEqual([1, undefined, 5, 6]);
});

test("no more recent tokens are kept than there may be", () => {
  const recent = createRecent<number>(10);
  const tokens = Array.from({ length: 100 }, (_, i) => String(i));
  for (const token of tokens) recent.set(token, 1);
  // In this order, looking makes nothing older.
  const known = tokens.filter((token) => recent.get(token) !== undefined);
  expect(known.length).toBeLessThanOrEqual(10);
  expect(known).toContain("99");
});
