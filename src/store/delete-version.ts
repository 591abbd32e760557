import type { Transaction } from "kysely";
import { endBuildUses } from "./builds.ts";
import type { Db } from "./db.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { hasRowLocks } from "./locks.ts";
import type { Tables } from "./tables.ts";
import { transact } from "./transaction.ts";

/** The deployments of a version: `mark` changes when it is deployed again. */
export interface VersionUse {
  readonly isDeployed: boolean;
  /** Its latest deployment; null: it was never deployed, or the entry was pruned. */
  readonly mark: string | null;
}

export async function findVersionUse(db: Db, versionId: string): Promise<VersionUse> {
  return readUse(db.query, versionId);
}

/**
 * Deletes a version that no namespace has deployed. DEPLOYED_SINCE: it was deployed after `mark` was read, so the
 * caller has to look for its lobbies again. Its name stays for the histories: lobbies of it that Foyer does not run may
 * stop much later.
 */
export function deleteVersion(
  db: Db,
  request: {
    gameId: string;
    versionId: string;
    deleteTs: number;
    mark: string | null;
  },
): Promise<"deleted" | "VERSION_NOT_FOUND" | "DEPLOYED" | "DEPLOYED_SINCE"> {
  const { gameId, versionId, deleteTs, mark } = request;
  return transact(db, [versionId], async (transaction, undo) => {
    // A deployment locks this row until it is committed, so that each side sees the change of the other.
    const row = transaction
      .selectFrom("versions")
      .select("version_id")
      .where("version_id", "=", versionId)
      .where("game_id", "=", gameId)
      .where("delete_ts", "is", null);
    const version = await (hasRowLocks(db) ? row.forUpdate() : row).executeTakeFirst();
    if (!version) throw undo("VERSION_NOT_FOUND");
    const use = await readUse(transaction, versionId);
    if (use.isDeployed) throw undo("DEPLOYED");
    if (use.mark !== mark) throw undo("DEPLOYED_SINCE");

    await transaction
      .updateTable("versions")
      .set({ delete_ts: deleteTs, config: noConfig })
      .where("version_id", "=", versionId)
      .execute();
    await endBuildUses(transaction, versionId, deleteTs);
    return "deleted";
  });
}

/** The document may contain secrets in its environment variables, and it is no longer needed. */
const noConfig = "{}";

async function readUse(query: Db["query"] | Transaction<Tables>, versionId: string): Promise<VersionUse> {
  const namespace = await query
    .selectFrom("namespaces")
    .innerJoin("versions", (join) =>
      join
        .onRef("versions.game_id", "=", "namespaces.game_id")
        .onRef("versions.version_id", "=", "namespaces.version_id"),
    )
    .select("namespace_id")
    .where("versions.version_id", "=", versionId)
    .limit(1)
    .executeTakeFirst();
  const latest = await query
    .selectFrom("deployments")
    .select((select) => select.fn.max("deployment_id").as("mark"))
    .where("version_id", "=", versionId)
    .executeTakeFirst();
  return { isDeployed: namespace !== undefined, mark: latest?.mark ?? null };
}

/** Removes versions that were deleted before the time and that no history names. Returns the number of deleted rows. */
export async function pruneDeletedVersions({ query }: Db, before: number): Promise<number> {
  const unnamed = query
    .selectFrom("versions")
    .select("version_id")
    .where("delete_ts", "<", before)
    .where(({ not, exists, selectFrom }) => {
      const deployment = selectFrom("deployments").select("deployments.version_id");
      return not(exists(deployment.whereRef("deployments.version_id", "=", "versions.version_id")));
    })
    .where(({ not, exists, selectFrom }) => {
      const lobby = selectFrom("lobby_history").select("lobby_history.version_id");
      return not(exists(lobby.whereRef("lobby_history.version_id", "=", "versions.version_id")));
    });
  return deleteInSteps((limit) =>
    query.deleteFrom("versions").where("version_id", "in", unnamed.limit(limit)).executeTakeFirstOrThrow(),
  );
}
