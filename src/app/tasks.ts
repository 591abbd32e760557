import { type Logger, nowAndThen } from "../ground/log.ts";
import type { Placing } from "../loops/assign-node.ts";
import { createExpire } from "../loops/expire.ts";
import type { Recorder } from "../loops/history.ts";
import { createKeepIdle, type PlanWarm } from "../loops/keep-idle.ts";
import { repeat } from "../loops/repeat.ts";
import { createResyncQueue } from "../loops/resync-queue.ts";
import type { Supervisor } from "../loops/supervise.ts";
import { createSweepNamespaces } from "../loops/sweep-namespaces.ts";
import type { NodesCacheInvalidation } from "../nodes/cache-invalidation.ts";
import type { Context } from "../operations/context.ts";
import { planWarm, wantsIdle } from "../operations/matchmaking/lobby-start.ts";
import { listDeployedNamespaces, listNamespaceIds } from "../store/namespaces.ts";
import { prune } from "../store/retention.ts";
import type { FolderWatch } from "./open-parts.ts";

export interface TaskParts {
  readonly log: Logger;
  readonly recorder: Recorder;
  readonly supervisor: Supervisor;
  /** Null, as is the next: this is the only node. */
  readonly placing: Placing | null;
  readonly invalidation: NodesCacheInvalidation | null;
  readonly folderWatch: FolderWatch;
  /** Null: another clock than this machine's is followed. */
  readonly followClock: (() => void) | null;
}

type Task = [task: string, everyMs: number, run: () => Promise<unknown>];

const dayMs = 24 * 60 * 60_000;

/** Everything that happens again and again without a request. Where there are several nodes, some of it on one only. */
export function startTasks(context: Context, parts: TaskParts): { stop(): Promise<void> } {
  const { db, config, engine, nodes, now, tokenUses, runtime } = context;
  const { log, recorder, supervisor, placing, invalidation, followClock, folderWatch } = parts;
  const onceForAll = (run: () => Promise<unknown>) => async () => nodes.lease() && (await run());

  const tasks: Task[] = [
    ["writing down when tokens were used", 30_000, () => tokenUses.flush()],
    ["pruning", 60 * 60_000, onceForAll(() => prune(db, { before: now() - config.retentionDays * dayMs, now: now() }))],
    ["catching up with the history of lobbies", 10_000, () => recorder.catchUp()],
  ];
  tasks.push(["looking for the data folder", 2_000, async () => folderWatch.check()]);
  if (followClock) tasks.push(["following the wall clock", 1_000, async () => followClock()]);
  tasks.push(["ending what is due", invalidation ? 500 : 200, createExpire(engine, nodes, now)]);
  if (runtime || placing) {
    const keepIdle = createKeepIdle(engine, now, planFor(context), (namespaceId) => wantsIdle(context, namespaceId));
    // What another node has deployed is in force here too.
    const freshly = async () => {
      await db.invalidation.check();
      await keepIdle();
    };
    tasks.push(["starting lobbies ahead of need", placing ? 1_000 : 500, onceForAll(freshly)]);
  }
  if (placing) tasks.push(["taking lobbies that nobody has placed", 500, () => placing.takeOver()]);
  if (placing) tasks.push(["placing lobbies", 1_000, async () => placing.isSweepDue() && (await placing.sweep())]);
  if (invalidation) {
    tasks.push(["announcing changes of lost nodes", 10_000, onceForAll(() => invalidation.sweep())]);
    tasks.push(["comparing lobbies with their servers", 10_000, () => supervisor.reconcile()]);
    const sweep = createSweepNamespaces({ engine, nodes, log, now, namespaceIds: () => listNamespaceIds(db) });
    tasks.push(["removing namespaces that were deleted", 60_000, sweep]);
    tasks.push(["telling a new Redis what is deployed", 1_000, createTellDeployed(context)]);
    // The node that was to write a lobby down may have died just then; lobbies are remembered for ten minutes.
    nodes.onGone(recorder.expectMore);
    tasks.push(["looking for lobbies that nobody wrote down", 4 * 60_000, async () => recorder.expectMore()]);
  }

  const askResync = createResyncQueue(
    (namespaceId) => Promise.all([context.waiting.lookAgain(namespaceId), supervisor.resync(namespaceId)]),
    (err, namespaceId) =>
      log.error({ err, namespace_id: namespaceId }, "a namespace could not be resynced after an event gap"),
  );
  engine.onGap((namespaceId) => {
    recorder.expectMore();
    placing?.expectMore();
    if (!askResync(namespaceId)) return;
    log.warn({ namespace_id: namespaceId }, "event gap: this node fell behind; resyncing from current state");
  });
  const loops = tasks.map(([task, everyMs, run]) => {
    const onFault = nowAndThen((err: unknown) => log.error({ err }, `${task} failed and will be tried again`));
    return repeat(everyMs, run, onFault);
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** A Redis that lost everything, or is new, knows of no warm pools. Whoever gets the lease tells it, once. */
function createTellDeployed({ db, configs, nodes }: Context): () => Promise<void> {
  let isTold = true;
  nodes.onLease(() => {
    isTold = false;
  });
  return async () => {
    if (isTold || nodes.lease() === null) return;
    isTold = true;
    try {
      for (const namespaceId of await listDeployedNamespaces(db)) await configs.changed(namespaceId);
    } catch (fault) {
      isTold = false;
      throw fault;
    }
  };
}

/** With the number of the lease, so that a node that has lost it starts nothing any more. */
function planFor(context: Context): PlanWarm {
  return async (namespaceId, pair) => {
    const lease = context.nodes.lease();
    const planned = lease && (await planWarm(context, namespaceId, pair));
    return planned && { ...planned, ...lease };
  };
}
