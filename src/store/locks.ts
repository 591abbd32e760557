import type { Transaction } from "kysely";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

/**
 * Rows are locked from the game downwards: game, namespace, version. SQLite has one writer and needs no locks. The
 * locks still allow other transactions to insert rows that refer to the locked one.
 */

/** Makes transactions that add to the game run one after another. False: the game does not exist. */
export async function lockGame(db: Db, transaction: Transaction<Tables>, gameId: string): Promise<boolean> {
  const row = transaction
    .selectFrom("games")
    .select("game_id")
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null);
  return (await (hasRowLocks(db) ? row.forNoKeyUpdate() : row).executeTakeFirst()) !== undefined;
}

/** Blocks the deletion of the game until the transaction ends. False: the game does not exist. */
export async function holdGame(db: Db, transaction: Transaction<Tables>, gameId: string): Promise<boolean> {
  const row = transaction
    .selectFrom("games")
    .select("game_id")
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null);
  return (await (hasRowLocks(db) ? row.forKeyShare() : row).executeTakeFirst()) !== undefined;
}

/** Makes transactions that add to the namespace run one after another. False: the game has no such namespace. */
export async function lockNamespace(
  db: Db,
  transaction: Transaction<Tables>,
  { gameId, namespaceId }: { gameId: string; namespaceId: string },
): Promise<boolean> {
  // Rows of the namespace refer to the game too. The game is locked first, because deleting a game starts with the game.
  if (!(await holdGame(db, transaction, gameId))) return false;
  const row = transaction
    .selectFrom("namespaces")
    .select("namespace_id")
    .where("namespace_id", "=", namespaceId)
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null);
  return (await (hasRowLocks(db) ? row.forNoKeyUpdate() : row).executeTakeFirst()) !== undefined;
}

/**
 * Blocks the deletion of the version until the transaction ends. False: the game has no such version, or it was
 * deleted.
 */
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
