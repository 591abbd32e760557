import { describe, inject } from "vitest";
import { everySuite } from "./every-suite.ts";
import { closeAfterEach, startOnRedis } from "./redis-engine.ts";

closeAfterEach();

describe("Redis engine", () => {
  everySuite(() => startOnRedis(inject("redisUrl")));
});
