import type { Transaction } from "kysely";
import type { Db } from "./db.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { hasRowLocks } from "./locks.ts";
import type { Tables } from "./tables.ts";
import { transact } from "./transaction.ts";

/** Where a version stands: `mark` changes when it is deployed again. */
export interface VersionUse {
  readonly isDeployed: boolean;
  /** The latest deployment of it; null: never, or so long ago that it is forgotten. */
  readonly mark: string | null;
}

export async function findVersionUse(db: Db, versionId: string): Promise<VersionUse> {
  return useOf(db.query, versionId);
}

/**
 * Deletes a version that no namespace has deployed. DEPLOYED_SINCE: it was deployed after `mark` was read, and whoever
 * looked for lobbies of it has to look again. Its name stays for the histories: lobbies of it that Foyer does not run may
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
    // Whoever deploys it holds this row until that is done, so that either side sees what the other did.
    const row = transaction
      .selectFrom("versions")
      .select("version_id")
      .where("version_id", "=", versionId)
      .where("game_id", "=", gameId)
      .where("delete_ts", "is", null);
    const version = await (hasRowLocks(db) ? row.forUpdate() : row).executeTakeFirst();
    if (!version) throw undo("VERSION_NOT_FOUND");
    const use = await useOf(transaction, versionId);
    if (use.isDeployed) throw undo("DEPLOYED");
    if (use.mark !== mark) throw undo("DEPLOYED_SINCE");

    await transaction
      .updateTable("versions")
      .set({ delete_ts: deleteTs, config: noConfig })
      .where("version_id", "=", versionId)
      .execute();
    return "deleted";
  });
}

/** The document may have secrets in its environments, and nothing needs it any more. */
const noConfig = "{}";

async function useOf(query: Db["query"] | Transaction<Tables>, versionId: string): Promise<VersionUse> {
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

/** Forgets versions deleted before the time that no history names any more. Gives the number of rows deleted. */
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
