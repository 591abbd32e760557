import type { Transaction } from "kysely";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

/**
 * Rows are locked from the game downwards: game, namespace, version. SQLite has one writer, so that nothing needs a lock
 * there. The locks let others refer to the row meanwhile, as rows below it do when they are written.
 */

/** Whoever adds to the game waits for the others who do. False: there is no such game. */
export async function lockGame(db: Db, transaction: Transaction<Tables>, gameId: string): Promise<boolean> {
  const row = transaction.selectFrom("games").select("game_id").where("game_id", "=", gameId);
  return (await (hasRowLocks(db) ? row.forNoKeyUpdate() : row).executeTakeFirst()) !== undefined;
}

/** Nobody deletes the game before the transaction is over. False: there is no such game. */
export async function holdGame(db: Db, transaction: Transaction<Tables>, gameId: string): Promise<boolean> {
  const row = transaction.selectFrom("games").select("game_id").where("game_id", "=", gameId);
  return (await (hasRowLocks(db) ? row.forKeyShare() : row).executeTakeFirst()) !== undefined;
}

/** Whoever adds to the namespace waits for the others who do. False: there is no such namespace in the game. */
export async function lockNamespace(
  db: Db,
  transaction: Transaction<Tables>,
  { gameId, namespaceId }: { gameId: string; namespaceId: string },
): Promise<boolean> {
  // A row of the namespace refers to the game too. Taken now and not then, because deleteGame begins with the game.
  if (!(await holdGame(db, transaction, gameId))) return false;
  const row = transaction
    .selectFrom("namespaces")
    .select("namespace_id")
    .where("namespace_id", "=", namespaceId)
    .where("game_id", "=", gameId);
  return (await (hasRowLocks(db) ? row.forNoKeyUpdate() : row).executeTakeFirst()) !== undefined;
}

/** Nobody deletes the version before the transaction is over. False: the game has no such version, or it was deleted. */
export async function holdVersion(
  db: Db,
  transaction: Transaction<Tables>,
  { gameId, versionId }: { gameId: string; versionId: string },
): Promise<boolean> {
  const row = transaction
    .selectFrom("versions")
    .select("version_id")
    .where("version_id", "=", versionId)
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null);
  return (await (hasRowLocks(db) ? row.forShare() : row).executeTakeFirst()) !== undefined;
}

export function hasRowLocks(db: Db): boolean {
  return db.engine === "postgresql";
}
