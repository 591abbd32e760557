import { randomUUID } from "node:crypto";
import { afterEach } from "vitest";
import { createRedisEngine, type RedisEngine } from "../../src/engine/redis/redis.ts";
import { createLog } from "../../src/ground/log.ts";
import { openRedis } from "../../src/redis/connection.ts";
import type { RedisConnection, RedisLink } from "../../src/redis/interface.ts";
import { withoutGaps } from "../conformance/without-gaps.ts";
import { auditNamespace } from "./redis-audit.ts";
import type { EngineUnderTest } from "./world.ts";

const quietLog = createLog({ level: "error", format: "json" });

export interface OpenedEngine {
  readonly engine: RedisEngine;
  readonly link: RedisConnection;
  readonly prefix: string;
}

const opened = new Set<OpenedEngine>();

/** Ends what the test has opened; a test file calls it once. */
export function closeAfterEach(): void {
  afterEach(async () => {
    await Promise.all([...opened].map(closeEngine));
  });
}

interface EngineOptions {
  /** Another engine's, to share its keys. */
  readonly prefix?: string;
  readonly wallClock?: () => number;
  readonly isHearing?: boolean;
  /** Distinguishes a slow machine from one that receives nothing; other tests do not use the machine's time. */
  readonly hasGaps?: boolean;
  /** What the engine is given instead of the link itself. */
  readonly wrap?: (link: RedisLink) => RedisLink;
}

/** On keys of its own, unless a prefix is given. */
export async function openEngine(url: string, options: EngineOptions = {}): Promise<OpenedEngine> {
  const { prefix = `test-${randomUUID()}`, wallClock = Date.now, isHearing = true, wrap = (link) => link } = options;
  const link = await openRedis({ url, log: quietLog });
  const received = options.hasGaps ? link : withoutGaps(link);
  const engine = await createRedisEngine({ link: wrap(received), prefix, newOpId: randomUUID, wallClock, isHearing });
  const one = { engine, link, prefix };
  opened.add(one);
  return one;
}

async function closeEngine(one: OpenedEngine): Promise<void> {
  opened.delete(one);
  await one.engine.close();
  await one.link.close();
}

/**
 * An engine for the suites. State is in Redis, so a restart is another engine on the same keys, after a time in which no
 * other node could receive heartbeats.
 */
export async function startOnRedis(url: string): Promise<EngineUnderTest> {
  return underTest(await openEngine(url), url);
}

export function underTest(one: OpenedEngine, url: string): EngineUnderTest {
  return {
    engine: one.engine,
    check: (namespaceId) => auditNamespace(one.link, one.prefix, namespaceId),
    async restart() {
      await one.link.call("DEL", `${one.prefix}:{hearing}:beat`);
      await closeEngine(one);
      return underTest(await openEngine(url, { prefix: one.prefix }), url);
    },
  };
}
