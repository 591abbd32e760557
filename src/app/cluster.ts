import { createHmac } from "node:crypto";
import type { Config } from "../config/config.ts";
import { createRedisEngine, type RedisEngine } from "../engine/redis/redis.ts";
import type { Clock } from "../ground/clock.ts";
import { type Logger, nowAndThen } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import { recordFormat } from "../matchmaker/record-format.ts";
import { createCacheInvalidation, type NodesCacheInvalidation } from "../nodes/cache-invalidation.ts";
import { createNodeCalls, type NodeCalls } from "../nodes/calls.ts";
import type { Nodes, OwnStatus } from "../nodes/nodes.ts";
import { refuseOtherFormats } from "../nodes/record-formats.ts";
import { joinNodes } from "../nodes/redis-nodes.ts";
import { openRedis } from "../redis/connection.ts";
import type { RedisConnection } from "../redis/interface.ts";
import { checkRedis, redisAheadMs } from "../redis/safety-checks.ts";
import { measureRedis, measureRedisConnection } from "./gauges.ts";

/** What the nodes of an installation have in common, by way of Redis. */
export interface Shared {
  readonly invalidation: NodesCacheInvalidation;
  openEngine(): Promise<RedisEngine>;
  /** Puts this node on the list. */
  join(nodeId: string, status: () => OwnStatus): Promise<Nodes>;
  openCalls(nodes: Nodes, answer: Parameters<typeof createNodeCalls>[0]["answer"]): Promise<NodeCalls>;
  close(): Promise<void>;
}

export interface Secrets {
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
}

/** Another installation uses this part of Redis. */
class RedisInUse extends Error {
  override readonly name = "RedisInUse";
}

/**
 * Nodes of another installation would place their lobbies here, and tokens of one would be invalid on the other. Which
 * installation it is, is known by its secret, of which nothing can be learnt from what is kept here.
 */
async function claimPrefix(link: RedisConnection, prefix: string, { secret, previousSecret }: Secrets): Promise<void> {
  const key = `${prefix}:{nodes}:installation`;
  const own = fingerprintOf(secret);
  await link.call("SETNX", key, [own]);
  const found = await link.call("GET", key);
  if (found === own) return;
  if (previousSecret !== null && found === fingerprintOf(previousSecret))
    return void (await link.call("SET", key, [own]));
  throw new RedisInUse(
    `Nodes with another FOYER_SECRET use the prefix ${prefix} of this Redis. Give this node their secret if it is one of them, ` +
      "its old one as FOYER_PREVIOUS_SECRET if it was changed, or another FOYER_REDIS_PREFIX.",
  );
}

function fingerprintOf(secret: Buffer): string {
  return createHmac("sha256", secret).update("installation").digest("hex");
}

/** Refuses a Redis that is set up in a way in which promises would be broken. */
export async function openShared(
  redisUrl: string,
  { redisPrefix: prefix, nodeGraceS }: Config,
  parts: { log: Logger; metrics: Metrics; clock: Clock; newId(): string; secrets: Secrets },
): Promise<Shared> {
  const { log, metrics, clock, newId, secrets } = parts;
  const link = await openRedis({ url: redisUrl, log, measures: measureRedis(metrics) });
  measureRedisConnection(metrics, link);
  try {
    await checkRedis(link, Date.now, log);
    clock.startAt(clock.now() + (await redisAheadMs(link, clock.now)));
    await claimPrefix(link, prefix, secrets);
    await refuseOtherFormats(link, prefix, recordFormat);
    const onFault = nowAndThen((err: unknown) => log.warn({ err }, "Redis could not be reached; it is tried again"));
    const invalidation = createCacheInvalidation({ link, prefix, newId, onFault });
    // Every request asks anyway; a node without any reads what is new before it is needed.
    await link.subscribe(`${prefix}:changes`, () => void invalidation.check().catch(onFault), invalidation.invalidate);
    return {
      invalidation,
      openEngine: () => createRedisEngine({ link, prefix, newOpId: newId, wallClock: Date.now, isHearing: false }),
      join: (nodeId, status) =>
        joinNodes({
          link,
          prefix,
          nodeId,
          instanceId: newId(),
          recordFormat,
          graceMs: nodeGraceS * 1000,
          status,
          steadyNow: () => performance.now(),
          wallClock: Date.now,
          clock,
          onClockOff(offsetMs) {
            const message = "this machine's clock and Redis' have come apart; let both follow the same time servers";
            log.error({ offset_ms: offsetMs }, message);
          },
          onTwin() {
            const message =
              "another process says that it is this node; give each its own FOYER_NODE_ID and data folder";
            log.error({ node_id: nodeId }, message);
          },
          onOtherFormat: nowAndThen((message: string) => log.error(message)),
          onFault,
        }),
      openCalls(nodes, answer) {
        const nodeId = nodes.ownId ?? "";
        const othersAlive = () =>
          nodes.all().flatMap((node) => (node.isAlive && node.nodeId !== nodeId ? [node.nodeId] : []));
        const onUnreadable = nowAndThen((channel: string) =>
          log.warn({ channel }, "a message of another node could not be read and is left out; do all run one version?"),
        );
        return createNodeCalls({ link, prefix, nodeId, newId, othersAlive, answer, onFault, onUnreadable });
      },
      async close() {
        invalidation.close();
        await link.close();
      },
    };
  } catch (fault) {
    await link.close();
    throw fault;
  }
}
