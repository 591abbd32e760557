import { describe } from "vitest";
import { modelInMemory } from "./memory.suite.ts";
import { modelOnRedis } from "./redis.suite.ts";

describe("the memory engine answers like the model, step by step", () => {
  modelInMemory([101, 102, 103, 104, 105, 106, 107, 108, 109, 110], 200_000);
});

describe("the engine on Redis answers like the model, step by step", () => {
  modelOnRedis("redis", [201, 202, 203, 204], 10_000);
});

describe("the engine on a Redis Cluster answers like the model, step by step", () => {
  modelOnRedis("cluster", [301, 302, 303, 304], 10_000);
});
