import { write } from "./cache.ts";
import type { Db } from "./db.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { hasRowLocks, lockGame } from "./locks.ts";
import { tokensChangeId } from "./tokens.ts";
import { transact } from "./transaction.ts";

/**
 * A game or namespace is deleted in two parts, because it may have very many lobbies and rows. One transaction marks it
 * and deletes its tokens and domains: from then on no read finds it. The rest is removed in steps, and its row last.
 */

/** False: the namespace does not exist, or was deleted before. */
export function markNamespaceDeleted(
  db: Db,
  { gameId, namespaceId }: { gameId: string; namespaceId: string },
  deleteTs: number,
): Promise<boolean> {
  return transact<boolean>(db, [namespaceId, tokensChangeId(namespaceId)], async (transaction, undo) => {
    // Rows are locked from the game downwards. Two deletions wait for each other here.
    if (!(await lockGame(db, transaction, gameId))) throw undo(false);
    // Then nothing is deployed there, and its version can be deleted.
    const { numUpdatedRows } = await transaction
      .updateTable("namespaces")
      .set({ delete_ts: deleteTs, version_id: null })
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw undo(false);
    await transaction.deleteFrom("domains").where("namespace_id", "=", namespaceId).execute();
    await transaction.deleteFrom("tokens").where("namespace_id", "=", namespaceId).execute();
    return true;
  });
}

/** With all its namespaces. False: the game does not exist, or was deleted before. */
export function markGameDeleted(db: Db, gameId: string, deleteTs: number): Promise<boolean> {
  const deleted = [gameId, tokensChangeId(gameId)];
  return transact<boolean>(db, deleted, async (transaction, undo) => {
    // An update alone would not wait for transactions that add to the game and hold it.
    const game = transaction.selectFrom("games").select("game_id").where("game_id", "=", gameId);
    await (hasRowLocks(db) ? game.forUpdate() : game).execute();
    const { numUpdatedRows } = await transaction
      .updateTable("games")
      .set({ delete_ts: deleteTs })
      .where("game_id", "=", gameId)
      .where("delete_ts", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw undo(false);
    const namespaces = await transaction
      .updateTable("namespaces")
      .set({ delete_ts: deleteTs, version_id: null })
      .where("game_id", "=", gameId)
      .returning("namespace_id")
      .execute();
    for (const { namespace_id } of namespaces) deleted.push(namespace_id, tokensChangeId(namespace_id));
    const ids = transaction.selectFrom("namespaces").select("namespace_id").where("game_id", "=", gameId);
    await transaction.deleteFrom("domains").where("namespace_id", "in", ids).execute();
    await transaction.deleteFrom("tokens").where("game_id", "=", gameId).execute();
    return true;
  });
}

/** What was marked as deleted until `until` and is still there. */
export async function listDeleted(
  db: Db,
  until: number,
): Promise<{ readonly namespaceIds: readonly string[]; readonly gameIds: readonly string[] }> {
  const namespaces = db.query.selectFrom("namespaces").select("namespace_id").where("delete_ts", "<=", until);
  const games = db.query.selectFrom("games").select("game_id").where("delete_ts", "<=", until);
  return {
    namespaceIds: (await namespaces.orderBy("namespace_id").execute()).map((row) => row.namespace_id),
    gameIds: (await games.orderBy("game_id").execute()).map((row) => row.game_id),
  };
}

/** The ids of the namespaces of a deleted game that are still there. */
export async function listDeletedOf(db: Db, gameId: string): Promise<string[]> {
  const namespaces = db.query.selectFrom("namespaces").select("namespace_id").where("game_id", "=", gameId);
  return (await namespaces.where("delete_ts", "is not", null).execute()).map((row) => row.namespace_id);
}

/** Deletes the rows of a namespace that was marked as deleted, those of which there may be very many in steps. */
export async function removeNamespaceRows(db: Db, namespaceId: string): Promise<void> {
  const { query } = db;
  const lobbies = query.selectFrom("lobby_history").select("lobby_id").where("namespace_id", "=", namespaceId);
  await deleteInSteps((max) =>
    query.deleteFrom("lobby_history").where("lobby_id", "in", lobbies.limit(max)).executeTakeFirstOrThrow(),
  );
  const deployments = query.selectFrom("deployments").select("deployment_id").where("namespace_id", "=", namespaceId);
  await deleteInSteps((max) =>
    query.deleteFrom("deployments").where("deployment_id", "in", deployments.limit(max)).executeTakeFirstOrThrow(),
  );
  const row = query.deleteFrom("namespaces").where("namespace_id", "=", namespaceId).where("delete_ts", "is not", null);
  await write(
    db,
    () => row.execute(),
    () => [namespaceId],
  );
}

/** Call it when all its namespaces are removed. */
export async function removeGameRows(db: Db, gameId: string): Promise<void> {
  const row = db.query.deleteFrom("games").where("game_id", "=", gameId).where("delete_ts", "is not", null);
  await write(
    db,
    () => row.execute(),
    () => [gameId],
  );
}
