import { deployVersion, listDeployments } from "../../store/versions.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { lookUpNamespace, namespaceNotFound, versionNotFound } from "./lookup.ts";
import { cutPage, parsePage, toTimestamp } from "./pagination.ts";

/** Which version a namespace runs, and which ones it ran. */
export function deploymentOperations(context: Context) {
  const { db } = context;

  return {
    "games.namespaces.updateGameNamespaceVersion": async ({ params, body, record }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const versionId = body.version_id.toLowerCase();
      const outcome = await deployVersion(record({ target: versionId }), {
        namespaceId: namespace.namespaceId,
        versionId,
        expectedVersionId: body.expected_version_id?.toLowerCase() ?? null,
        deployment: () => ({ deploymentId: context.newId(), deployTs: context.now() }),
      });
      if (outcome === "VERSION_NOT_FOUND") return versionNotFound(body.version_id);
      if (outcome === "VERSION_CHANGED") {
        const expected = body.expected_version_id;
        return refuse("CLOUD_VERSION_CHANGED", `The deployed version is not ${expected}, so nothing was deployed.`);
      }
      if (outcome === "NAMESPACE_NOT_FOUND") return namespaceNotFound(params.namespace_id);
      await context.configs.changed(namespace.namespaceId);
      return null;
    },

    "games.namespaces.getVersionHistory": async ({ params, query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const deployments = await listDeployments(db, namespace.namespaceId, page);
      const { rows, more } = cutPage(deployments, page, (row) => row.deploymentId);
      const versions = rows.map((row) => ({
        version_id: row.versionId,
        display_name: row.displayName,
        deploy_ts: toTimestamp(row.deployTs),
        is_deleted: row.isDeleted,
        rolled_back: row.isRolledBack,
      }));
      return { versions, ...more };
    },
  } satisfies Partial<Handlers>;
}
