import { cached } from "./cache.ts";
import type { Db, Page } from "./db.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { transact } from "./transaction.ts";

export interface Block {
  /** In its normal form. */
  readonly client: string;
  readonly createTs: number;
  /** Null: it never expires. */
  readonly untilTs: number | null;
  readonly note: string | null;
}

/**
 * Sets or replaces a block and raises the namespace's revision, which comes first because it locks the namespace's row:
 * the count is exact. Also removes expired blocks, so that they do not count.
 */
export function setBlock(
  db: Db,
  request: { blockId: string; namespaceId: string; block: Block; blocksMax: number },
): Promise<"ok" | "TOO_MANY" | "NAMESPACE_NOT_FOUND"> {
  const { blockId, namespaceId, block, blocksMax } = request;
  return transact(db, [namespaceId], async (transaction, undo) => {
    const locked = await transaction
      .updateTable("namespaces")
      .set((update) => ({ revision: update("revision", "+", 1) }))
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null)
      .executeTakeFirst();
    if (locked.numUpdatedRows === 0n) throw undo("NAMESPACE_NOT_FOUND");
    await transaction
      .deleteFrom("blocks")
      .where("namespace_id", "=", namespaceId)
      .where((where) => where.or([where("client", "=", block.client), where("until_ts", "<=", block.createTs)]))
      .execute();
    const { count } = await transaction
      .selectFrom("blocks")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("namespace_id", "=", namespaceId)
      .executeTakeFirstOrThrow();
    if (count >= blocksMax) throw undo("TOO_MANY");

    const { client, createTs, untilTs, note } = block;
    await transaction
      .insertInto("blocks")
      .values({
        ...{ block_id: blockId, namespace_id: namespaceId, client, note },
        ...{ create_ts: createTs, until_ts: untilTs },
      })
      .execute();
    return "ok";
  });
}

/** False: the namespace has no such block, and nothing changed. */
export function removeBlock(db: Db, namespaceId: string, client: string): Promise<boolean> {
  return transact<boolean>(db, [namespaceId], async (transaction, undo) => {
    await transaction
      .updateTable("namespaces")
      .set((update) => ({ revision: update("revision", "+", 1) }))
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null)
      .executeTakeFirst();
    const removed = await transaction
      .deleteFrom("blocks")
      .where("client", "=", client)
      .where("namespace_id", "=", namespaceId)
      .executeTakeFirst();
    if (removed.numDeletedRows === 0n) throw undo(false);
    return true;
  });
}

/** Deletes expired blocks; no namespace's revision changes. Returns their number. */
export function pruneBlocks({ query }: Db, now: number): Promise<number> {
  const over = query.selectFrom("blocks").select("block_id").where("until_ts", "<=", now).orderBy("until_ts");
  return deleteInSteps((limit) =>
    query.deleteFrom("blocks").where("block_id", "in", over.limit(limit)).executeTakeFirstOrThrow(),
  );
}

/** The blocks that are not expired, sorted by client. */
export async function listBlocks(db: Db, namespaceId: string, page: Page, now: number): Promise<Block[]> {
  let query = db.query
    .selectFrom("blocks")
    .select(blockColumns)
    .where("namespace_id", "=", namespaceId)
    .where((where) => where.or([where("until_ts", "is", null), where("until_ts", ">", now)]));
  if (page.after !== null) query = query.where("client", ">", page.after);
  return await query.orderBy("client").limit(page.limit).execute();
}

/**
 * All blocks of a namespace, at least as new as this revision: blocks cached for an earlier revision are never returned
 * for a later one, whichever was read first.
 */
export function blocksAt(db: Db, namespaceId: string, revision: number): Promise<readonly Block[]> {
  const load = () =>
    db.query.selectFrom("blocks").select(blockColumns).where("namespace_id", "=", namespaceId).execute();
  return cached(db, `blocks ${namespaceId} ${revision}`, load, () => [namespaceId]);
}

const blockColumns = ["client", "create_ts as createTs", "until_ts as untilTs", "note"] as const;
