import { describe } from "vitest";
import { histories } from "../histories/histories.suite.ts";
import { stampedes } from "../histories/stampedes.suite.ts";
import { openNodesOn } from "./shared-service.ts";

describe.each([
  ["Redis", "redisUrl"],
  ["a Redis Cluster", "redisClusterUrl"],
] as const)("two nodes on %s", (_, redis) => {
  describe("bursts of finds", () => stampedes(openNodesOn(redis)));
  describe("histories", () => histories(openNodesOn(redis), { operations: 3000, seed: 2 }));
});
