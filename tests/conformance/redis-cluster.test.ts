import { describe, inject } from "vitest";
import { everySuite } from "./every-suite.ts";
import { closeAfterEach, startOnRedis } from "./redis-engine.ts";

closeAfterEach();

describe("Redis engine on a Cluster", () => {
  everySuite(() => startOnRedis(inject("redisClusterUrl")));
});
