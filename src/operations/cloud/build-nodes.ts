import { buildStateOn } from "../../nodes/node-builds.ts";
import { servesRegion } from "../../nodes/node-places.ts";
import { listDeployedBuilds } from "../../store/builds.ts";
import type { Context } from "../context.ts";
import { listBuildRegions } from "./version-builds.ts";

/** How far the nodes that run lobbies of the build are with it. None, while no deployed version names the build. */
export async function listBuildNodes({ db, configs, nodes }: Context, buildId: string) {
  const uses = await listDeployedBuilds(db, buildId);
  const versions = await Promise.all(uses.map(({ gameId, versionId }) => configs.version(gameId, versionId)));
  const regions = versions.flatMap((version) => (version ? listBuildRegions(version.config, buildId) : []));
  return nodes.all().flatMap((node) => {
    const runsIt = node.isAlive && node.places > 0 && regions.some((region) => servesRegion(node, region));
    const state = buildStateOn(node, buildId);
    if (!runsIt || state === "unknown") return [];
    return [{ node_id: node.nodeId, state, message: node.builds?.failed[buildId] ?? null }];
  });
}
