import { unnamedBuildKeptMs } from "../ground/limits.ts";
import { type Logger, throttled } from "../ground/log.ts";
import { createExpire } from "../loops/expire.ts";
import { createKeepIdle, type PlanWarm } from "../loops/keep-idle.ts";
import { createPrepareBuilds } from "../loops/prepare-builds.ts";
import { repeat } from "../loops/repeat.ts";
import { createResyncQueue } from "../loops/resync-queue.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { createRemoveDeleted } from "../operations/cloud/delete.ts";
import type { Context } from "../operations/context.ts";
import { createMeasureLobbies } from "../operations/insight/follow-lobbies.ts";
import { planWarm, wantsIdle } from "../operations/matchmaking/lobby-start.ts";
import { deleteUnnamedBuilds, listBuildIds } from "../store/builds.ts";
import { prune } from "../store/retention.ts";
import { listDeletedOwners } from "../store/tokens.ts";
import type { FolderWatch } from "./folder-watch.ts";
import type { Loops, ModeLoops, Task } from "./mode.ts";
import { leftoverMs } from "./open-builds.ts";

export interface TaskParts extends Loops {
  readonly log: Logger;
  readonly folderWatch: FolderWatch;
  /** What this mode does in addition. */
  readonly own: ModeLoops;
}

const dayMs = 24 * 60 * 60_000;

/** Everything that is done regularly, without a request. With several nodes, only one of them does some of it. */
export function startTasks(context: Context, parts: TaskParts): { stop(): Promise<void> } {
  const { log, own } = parts;
  resyncAfterGaps(context, parts);
  const loops = [...listTasks(context, parts), ...own.tasks].map(([task, everyMs, run]) => {
    const onError = throttled((err: unknown) => log.error({ err }, `${task} failed; Foyer tries again`));
    return repeat(everyMs, run, onError);
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** Only on the node that has the lease. */
export function onceForAll(nodes: Nodes, run: () => Promise<unknown>): () => Promise<unknown> {
  return async () => nodes.lease() && (await run());
}

function listTasks(context: Context, { recorder, warnings, folderWatch, own, log }: TaskParts): Task[] {
  const { db, config, engine, nodes, now, tokenUses } = context;
  const pruneOld = () => prune(db, { before: now() - config.retentionDays * dayMs, now: now() });
  const tasks: Task[] = [
    ["saving when tokens were used", 30_000, () => tokenUses.flush()],
    ["pruning", 60 * 60_000, onceForAll(nodes, pruneOld)],
    ["removing what was deleted", 5_000, onceForAll(nodes, createRemoveDeleted(context))],
    ...listBuildTasks(context, log),
    ["catching up with the history of lobbies", 10_000, () => recorder.catchUp()],
    ["looking for lobbies that are not ready", 1_000, () => warnings.check()],
    ["counting lobbies and players", 1_000, createMeasureLobbies(context)],
    ["checking the data folder", 2_000, async () => folderWatch.check()],
    ["ending what is due", own.expireEveryMs, createExpire(engine, nodes, now)],
  ];
  if (own.keepIdleEveryMs !== null) {
    const keepIdle = createKeepIdle(engine, now, planFor(context), (namespaceId) => wantsIdle(context, namespaceId));
    // First reads what other nodes have deployed.
    const freshly = async () => {
      await db.invalidation.check();
      await keepIdle();
    };
    tasks.push(["starting lobbies ahead of need", own.keepIdleEveryMs, onceForAll(nodes, freshly)]);
  }
  return tasks;
}

function listBuildTasks(context: Context, log: Logger): Task[] {
  const { db, builds, nodes, runtime, now } = context;
  const { archive, unpacked } = builds;
  async function deleteUnnamed(): Promise<void> {
    for (const buildId of await deleteUnnamedBuilds(db, now() - unnamedBuildKeptMs)) await archive.remove(buildId);
  }
  const tasks: Task[] = [
    ["deleting builds that no version names", 60 * 60_000, onceForAll(nodes, deleteUnnamed)],
    ["removing leftovers of builds", 10 * 60_000, onceForAll(nodes, () => archive.removeUnknown(leftoverMs))],
  ];
  if (runtime) {
    const removeUnpacked = async () => unpacked.removeOthers(await listBuildIds(db), runtime.isRunning);
    tasks.push(["removing folders of deleted builds", 60_000, removeUnpacked]);
    tasks.push(["unpacking builds of deployed versions", 2_000, createPrepareBuilds(context, log)]);
  }
  return tasks;
}

function resyncAfterGaps(
  { db, engine, waiting }: Context,
  { log, recorder, supervisor, warnings, directory, own }: TaskParts,
): void {
  const askResync = createResyncQueue(
    (namespaceId) =>
      Promise.all([waiting.resync(namespaceId), supervisor.resync(namespaceId), directory.resync(namespaceId)]),
    (err, namespaceId) =>
      log.error({ err, namespace_id: namespaceId }, "a namespace could not be resynced after an event gap"),
  );
  // Ends the connections of players to the lobbies of a deleted namespace, whose lobbies end one after another.
  db.onChange((change) => {
    if (typeof change === "string") return;
    const onError = (err: unknown) => log.warn({ err }, "connections to the lobbies of a deleted namespace stay open");
    for (const id of listDeletedOwners(change)) void directory.resync(id).catch(onError);
  });
  engine.onGap((namespaceId) => {
    recorder.expectMore();
    warnings.expectMore();
    own.expectMore();
    if (!askResync(namespaceId)) return;
    log.warn({ namespace_id: namespaceId }, "event gap: this node fell behind; resyncing from current state");
  });
}

/** Adds the number of the lease, so that a node that has lost the lease starts no more lobbies. */
function planFor(context: Context): PlanWarm {
  return async (namespaceId, pair, longerBy) => {
    const lease = context.nodes.lease();
    const planned = lease && (await planWarm(context, namespaceId, pair, longerBy));
    return planned && { ...planned, ...lease };
  };
}
