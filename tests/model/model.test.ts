import { describe } from "vitest";
import { modelInMemory } from "./memory.suite.ts";
import { modelOnRedis } from "./redis.suite.ts";

describe("the memory engine answers like the model, step by step", () => {
  modelInMemory([111, 112], 30_000);
});

describe("the engine on Redis answers like the model, step by step", () => {
  modelOnRedis("redis", [205], 1500);
});

describe("the engine on a Redis Cluster answers like the model, step by step", () => {
  modelOnRedis("cluster", [305], 1500);
});
