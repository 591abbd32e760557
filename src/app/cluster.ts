import { createRedisEngine } from "../engine/redis/redis.ts";
import { ensureNodeId, sharedAdminToken } from "../ground/data-folder.ts";
import { throttled, throttledByText } from "../ground/log.ts";
import { placeLobbies } from "../loops/assign-node.ts";
import { lobbiesPlacedOn } from "../loops/servers/own-lobbies.ts";
import { createSweepNamespaces } from "../loops/sweep-namespaces.ts";
import type { LobbyView } from "../matchmaker/commands.ts";
import { recordFormat } from "../matchmaker/record-format.ts";
import { createCacheInvalidation, type NodesCacheInvalidation } from "../nodes/cache-invalidation.ts";
import { type AnswerNodes, createNodeCalls, type NodeCalls } from "../nodes/calls.ts";
import type { Nodes, OwnStatus } from "../nodes/nodes.ts";
import { refuseOtherFormats } from "../nodes/record-formats.ts";
import { joinNodes } from "../nodes/redis-nodes.ts";
import { authenticateFreshly } from "../operations/auth/fresh-authenticate.ts";
import { readAhead } from "../operations/auth/read-ahead.ts";
import type { Context } from "../operations/context.ts";
import { findNeededBuild } from "../operations/matchmaking/lobby-program.ts";
import { openRedis } from "../redis/connection.ts";
import type { RedisConnection } from "../redis/interface.ts";
import { checkRedis, redisAheadMs } from "../redis/safety-checks.ts";
import { listDeployedNamespaces, listNamespaceIds } from "../store/namespaces.ts";
import { holdWithNodes } from "../store/only-node.ts";
import { claimPrefix } from "./claim-prefix.ts";
import { measureRedis, measureRedisConnection } from "./gauges.ts";
import { openSharedSlots } from "./lobby-room.ts";
import type { Ground, LiveState, Loops, Mode, ModeLoops } from "./mode.ts";
import { onceForAll } from "./tasks.ts";

/** What the parts of this mode need. */
interface Cluster extends Ground {
  readonly link: RedisConnection;
  readonly prefix: string;
  readonly nodeId: string;
  onError(error: unknown): void;
  onUnreadable(channel: string): void;
}

/**
 * Nodes that share Redis and PostgreSQL (docs/decisions/0012). Refuses a Redis whose configuration would break
 * promises.
 */
export async function openCluster(ground: Ground, redisUrl: string): Promise<Mode> {
  const { config, log, metrics, clock, folder, secret } = ground;
  const prefix = config.redisPrefix;
  const link = await openRedis({ url: redisUrl, log, measures: measureRedis(metrics) });
  measureRedisConnection(metrics, link);
  try {
    await checkRedis(link, Date.now, log);
    clock.startAt(clock.now() + (await redisAheadMs(link, clock.now)));
    await claimPrefix(link, prefix, ground);
    await refuseOtherFormats(link, prefix, recordFormat);
    const nodeId = ensureNodeId(folder, config.nodeId);
    const onError = throttled((err: unknown) => log.warn({ err }, "Redis could not be reached; Foyer tries again"));
    const onUnreadable = throttled((channel: string) => log.warn({ channel }, unreadableMessage));
    const cluster: Cluster = { ...ground, link, prefix, nodeId, onError, onUnreadable };
    const invalidation = await openInvalidation(cluster);
    return {
      adminToken: sharedAdminToken(folder, config.adminToken, secret),
      store: { invalidation, hold: holdWithNodes },
      openEngine: () => openEngine(cluster),
      // Shared data is in Redis and PostgreSQL, so only the logs and records of this node's processes are lost.
      folder: { fileNames: [], ifUnusable: "This node is no longer ready" },
      join: (status) => join(cluster, status),
      openSlots: openSharedSlots,
      openCalls: (nodes, answer) => openCalls(cluster, nodes, answer),
      authenticateFreshly: (context, authenticate) => authenticateFreshly(context.db, authenticate),
      // The demo is for trying out the service on one machine.
      openPlayPage: async () => null,
      // Events of other nodes arrive within milliseconds.
      lobbyLearnMs: 1_000,
      readAhead: (context) => readAhead(context, log),
      ownLobbies: () => lobbiesPlacedOn(nodeId),
      startLoops: (context, loops) => startLoops(cluster, invalidation, context, loops),
      shownNodeId: nodeId,
      async close() {
        invalidation.close();
        await link.close();
      },
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

const unreadableMessage = "ignoring an unreadable message of another node; check that all nodes run the same version";

async function openInvalidation({ link, prefix, newId, onError }: Cluster): Promise<NodesCacheInvalidation> {
  const invalidation = createCacheInvalidation({ link, prefix, newId, onError });
  // Every request checks too; with this, a node without requests reads changes before they are needed.
  const check = () => void invalidation.check().catch(onError);
  await link.subscribe(`${prefix}:changes`, check, invalidation.invalidate);
  return invalidation;
}

async function openEngine({ link, prefix, newId }: Cluster): Promise<LiveState> {
  const engine = await createRedisEngine({ link, prefix, newOpId: newId, wallClock: Date.now, isHearing: false });
  return { engine, isBehind: () => false, giveUp() {}, startHearing: () => engine.startHearing() };
}

function join(cluster: Cluster, status: () => OwnStatus): Promise<Nodes> {
  const { link, prefix, nodeId, newId, clock, log, config, onError, onUnreadable } = cluster;
  return joinNodes({
    link,
    prefix,
    nodeId,
    instanceId: newId(),
    recordFormat,
    graceMs: config.nodeGraceS * 1000,
    status,
    steadyNow: () => performance.now(),
    wallClock: Date.now,
    clock,
    onClockOff(offsetMs) {
      const message = "the clocks of this machine and of Redis differ; use the same time servers for both";
      log.error({ offset_ms: offsetMs }, message);
    },
    onTwin() {
      const message =
        "another process uses the name of this node; give each node its own FOYER_NODE_ID and data folder";
      log.error({ node_id: nodeId }, message);
    },
    onOtherFormat: throttled((message: string) => log.error(message)),
    onUnreadable,
    onError,
  });
}

function openCalls(cluster: Cluster, nodes: Nodes, answer: AnswerNodes): Promise<NodeCalls> {
  const { link, prefix, nodeId, newId, log, onError, onUnreadable } = cluster;
  const othersAlive = () =>
    nodes.all().flatMap((node) => (node.isAlive && node.nodeId !== nodeId ? [node.nodeId] : []));
  const onSilent = throttledByText((silent: string) =>
    log.warn(
      { node_id: silent },
      "a node did not answer another one within 2 s: what only that node has is missing from answers; check that it runs, and its connection to Redis",
    ),
  );
  return createNodeCalls({ link, prefix, nodeId, newId, othersAlive, answer, onError, onSilent, onUnreadable });
}

function startLoops(
  { log }: Cluster,
  invalidation: NodesCacheInvalidation,
  context: Context,
  { recorder, supervisor }: Loops,
): ModeLoops {
  const { db, engine, nodes, now } = context;
  const buildOf = (namespaceId: string, lobby: LobbyView) => findNeededBuild(context, namespaceId, lobby);
  const placing = placeLobbies({ engine, nodes, log, now, buildOf });
  // The node that had to save a stopped lobby in the history may have died before; the engine keeps stopped lobbies for
  // ten minutes.
  nodes.onNodeLost(recorder.expectMore);
  const sweepNamespaces = createSweepNamespaces({ engine, nodes, log, now, namespaceIds: () => listNamespaceIds(db) });
  return {
    tasks: [
      ["taking over lobbies without a node", 500, () => placing.takeOver()],
      ["assigning lobbies to nodes", 1_000, async () => placing.isSweepDue() && (await placing.sweep())],
      ["announcing changes of lost nodes", 10_000, onceForAll(nodes, () => invalidation.sweep())],
      ["comparing lobbies with their servers", 10_000, () => supervisor.reconcile()],
      ["removing namespaces that were deleted", 60_000, sweepNamespaces],
      ["writing warm pools to a new Redis", 1_000, createWriteWarmPools(context)],
      ["saving stopped lobbies that no node has saved", 4 * 60_000, async () => recorder.expectMore()],
    ],
    expireEveryMs: 500,
    keepIdleEveryMs: 1_000,
    expectMore: placing.expectMore,
    stop: () => placing.stop(),
  };
}

/** A Redis that lost its data, or is new, has no warm pools. The node that gets the lease writes them, once. */
function createWriteWarmPools({ db, configs, nodes }: Context): () => Promise<void> {
  let isTold = true;
  nodes.onLease(() => {
    isTold = false;
  });
  return async () => {
    if (isTold || nodes.lease() === null) return;
    isTold = true;
    try {
      for (const namespaceId of await listDeployedNamespaces(db)) await configs.changed(namespaceId);
    } catch (error) {
      isTold = false;
      throw error;
    }
  };
}
