import { describe } from "vitest";
import { histories } from "../histories/histories.suite.ts";
import { openNodesOn } from "./shared-service.ts";

// More of the same: FOYER_HISTORY_OPERATIONS=1000000 FOYER_HISTORY_SEED=7 npx vitest run --config vitest.long.config.ts tests/cluster/histories
const operations = Number(process.env.FOYER_HISTORY_OPERATIONS ?? 20_000);
const seed = Number(process.env.FOYER_HISTORY_SEED ?? 1);

describe.each([
  ["Redis", "redisUrl"],
  ["a Redis Cluster", "redisClusterUrl"],
] as const)("two nodes on %s", (_, redis) => {
  histories(openNodesOn(redis), { operations, seed });
});
