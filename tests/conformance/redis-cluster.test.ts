import { describe, inject } from "vitest";
import { closeAfterEach, startOnRedis } from "../support/redis-engine.ts";
import { everySuite } from "./conformance.suite.ts";

closeAfterEach();

describe("Redis engine on a Cluster", () => {
  everySuite(() => startOnRedis(inject("redisClusterUrl")));
});
