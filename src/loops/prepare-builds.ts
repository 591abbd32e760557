import type { Logger } from "../ground/log.ts";
import type { Context } from "../operations/context.ts";
import { prepareBuild } from "../operations/matchmaking/lobby-program.ts";
import { listDeployedBuilds } from "../store/builds.ts";

/** After a failure, the next try; until then a lobby that needs the build tries it. */
const retryMs = 60_000;

/**
 * Unpacks the builds of deployed versions on this node, if it serves a region of a game mode that names them, so that
 * the first lobby does not have to wait for it.
 */
export function createPrepareBuilds(context: Context, log: Logger): () => Promise<void> {
  const { db, builds, config, configs, now } = context;
  const failedAt = new Map<string, number>();

  async function isServedHere(gameId: string, versionId: string, buildId: string): Promise<boolean> {
    const { nodeRegions } = config;
    if (nodeRegions === null) return true;
    const version = await configs.version(gameId, versionId);
    return Object.values(version?.config.game_modes ?? {}).some(
      ({ runtime, regions }) =>
        "process" in runtime &&
        runtime.process.build_id === buildId &&
        regions.some((region) => nodeRegions.includes(region)),
    );
  }

  return async () => {
    const ready = new Set(builds.unpacked.list());
    for (const { buildId, gameId, versionId } of await listDeployedBuilds(db)) {
      const failed = failedAt.get(buildId);
      if (ready.has(buildId) || (failed !== undefined && now() - failed < retryMs)) continue;
      if (!(await isServedHere(gameId, versionId, buildId))) continue;
      try {
        await prepareBuild(context, buildId);
        ready.add(buildId);
        failedAt.delete(buildId);
      } catch (err) {
        failedAt.set(buildId, now());
        log.error({ err, build_id: buildId }, "a build of a deployed version could not be unpacked; Foyer tries again");
      }
    }
  };
}
