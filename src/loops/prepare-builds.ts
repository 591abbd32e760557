import type { Logger } from "../ground/log.ts";
import { isUnavailable } from "../ground/unavailable.ts";
import { reportBuilds } from "../nodes/node-builds.ts";
import { listBuildRegions } from "../operations/cloud/version-builds.ts";
import type { Context } from "../operations/context.ts";
import { prepareBuild } from "../operations/matchmaking/lobby-program.ts";
import { LobbyNotStarted } from "../runtime/runtime.ts";
import { listDeployedBuilds } from "../store/builds.ts";

/** After a failure, the next try. */
const retryMs = 60_000;

/**
 * Unpacks the builds of deployed versions on this node, if it serves a region of a game mode that names them, and reports
 * which it has: lobbies are placed only on nodes that have their build.
 */
export function createPrepareBuilds(context: Context, log: Logger): () => Promise<void> {
  const { db, builds, nodes, config, configs, now } = context;
  const failures = new Map<string, { readonly at: number; readonly reason: string }>();

  async function isServedHere(gameId: string, versionId: string, buildId: string): Promise<boolean> {
    const { nodeRegions } = config;
    if (nodeRegions === null) return true;
    const version = await configs.version(gameId, versionId);
    return version !== null && listBuildRegions(version.config, buildId).some((region) => nodeRegions.includes(region));
  }

  /** Of the builds that deployed versions name. */
  function note(deployed: ReadonlySet<string>): void {
    const failed = new Map([...failures].map(([buildId, { reason }]) => [buildId, reason]));
    const ready = builds.unpacked.list().filter((buildId) => deployed.has(buildId));
    builds.prepared.current = reportBuilds(ready, failed);
  }

  async function prepare(buildId: string): Promise<void> {
    try {
      await prepareBuild(context, buildId);
      failures.delete(buildId);
    } catch (err) {
      // Nothing is known about the build.
      if (isUnavailable(err)) throw err;
      const reason = err instanceof LobbyNotStarted ? err.message : "The log of the node has the reason.";
      failures.set(buildId, { at: now(), reason });
      log.error({ err, build_id: buildId }, "a build of a deployed version could not be unpacked; Foyer tries again");
    }
  }

  return async () => {
    const uses = await listDeployedBuilds(db);
    const deployed = new Set(uses.map(({ buildId }) => buildId));
    for (const buildId of failures.keys()) if (!deployed.has(buildId)) failures.delete(buildId);
    note(deployed);
    const ready = new Set(builds.unpacked.list());
    for (const { buildId, gameId, versionId } of uses) {
      const failedAt = failures.get(buildId)?.at;
      if (ready.has(buildId) || (failedAt !== undefined && now() - failedAt < retryMs)) continue;
      if (!(await isServedHere(gameId, versionId, buildId))) continue;
      await prepare(buildId);
      ready.add(buildId);
      note(deployed);
      // Lobbies may be waiting for it. If Redis cannot be reached, the next regular report has it.
      await nodes.report().catch(() => undefined);
    }
  };
}
