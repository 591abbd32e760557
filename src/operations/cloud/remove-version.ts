import type { Answer } from "../../matchmaker/commands.ts";
import type { Db } from "../../store/db.ts";
import { deleteVersion, findVersionUse } from "../../store/delete-version.ts";
import type { Namespace } from "../../store/namespaces.ts";
import type { Version } from "../../store/versions.ts";
import type { Context } from "../context.ts";
import { refuse } from "../refusal.ts";
import { listAllNamespaces } from "./delete.ts";
import { versionNotFound } from "./lookup.ts";

const attemptsMax = 5;
const lobbiesPerPage = 500;

/**
 * Deletes a version that nothing uses. Between the check of the lobbies and the transaction it may have been deployed
 * and replaced again, leaving lobbies; the transaction notices that, and then everything is checked again.
 */
export async function removeVersion(context: Context, version: Version, record: () => Db) {
  const { gameId, versionId } = version;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const { isDeployed, mark } = await findVersionUse(context.db, versionId);
    if (isDeployed) return inUse(version, "it is deployed to a namespace");
    const namespace = await namespaceWithLobbies(context, gameId, versionId);
    if (namespace) return inUse(version, `lobbies of it are alive in the namespace ${namespace.nameId}`);

    const outcome = await deleteVersion(record(), { gameId, versionId, deleteTs: context.now(), mark });
    if (outcome === "deleted") return null;
    if (outcome === "VERSION_NOT_FOUND") return versionNotFound(versionId);
  }
  return inUse(version, "it was deployed a moment ago");
}

/** The first namespace with a living lobby of the version that Foyer runs. */
async function namespaceWithLobbies(
  context: Context,
  gameId: string,
  versionId: string,
): Promise<Namespace | undefined> {
  await context.db.invalidation.check();
  for (const namespace of await listAllNamespaces(context, gameId)) {
    // From here on the engine refuses calls that were planned while the version was deployed. The row is read from the
    // store: another node may have changed it without having announced it yet.
    await context.configs.changed(namespace.namespaceId);
    await context.configs.renew(namespace.namespaceId, 1);
    if (await hasLobbies(context, namespace.namespaceId, versionId)) return namespace;
  }
  return undefined;
}

async function hasLobbies({ engine, now }: Context, namespaceId: string, versionId: string): Promise<boolean> {
  const query = { type: "listAllLobbies", namespaceId, includeStopped: false, limit: lobbiesPerPage } as const;
  for (let after: string | null = null; ; ) {
    const page: Answer<"listAllLobbies"> = await engine.read({ ...query, now: now(), after });
    if (page.lobbies.some((lobby) => lobby.versionId === versionId && !lobby.isExternal)) return true;
    if (page.next === null) return false;
    after = page.next;
  }
}

function inUse({ displayName }: Version, why: string) {
  const message = `The version ${JSON.stringify(displayName)} cannot be deleted: ${why}.`;
  return refuse("CLOUD_VERSION_IN_USE", message);
}
