import type { Kysely, SelectQueryBuilder } from "kysely";
import { withoutLostRaces } from "./cache.ts";
import type { AuditEntry, Db, Page, PendingChange } from "./db.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import type { Tables } from "./tables.ts";

/** The same store; its next successful transaction also records the change. */
export function recording(db: Db, pending: PendingChange): Db {
  return { ...db, pending };
}

/** For a change that was not a transaction of this store. */
export function recordChange(db: Db, change: PendingChange): Promise<void> {
  // Does not use write(): the log is never in the cache.
  return withoutLostRaces(async () => {
    change.written = await insertEntry(db.query, change);
  });
}

export async function insertEntry(query: Kysely<Tables>, change: PendingChange): Promise<AuditEntry> {
  const entry = change.entry();
  await query
    .insertInto("audit")
    .values({
      audit_id: entry.auditId,
      at: entry.at,
      operation: entry.operation,
      kind: entry.kind,
      token_id: entry.tokenId,
      game_id: entry.gameId,
      namespace_id: entry.namespaceId,
      target: entry.target,
      client: entry.client,
      request_id: entry.requestId,
    })
    .execute();
  return entry;
}

export interface AuditFilter {
  readonly gameId: string | null;
  readonly tokenId: string | null;
  readonly operation: string | null;
  readonly sinceTs: number | null;
}

/** Newest first. */
export async function listAudit(db: Db, filter: AuditFilter, page: Page): Promise<AuditEntry[]> {
  let query = db.query.selectFrom("audit").select(columns);
  if (filter.gameId !== null) query = query.where("game_id", "=", filter.gameId);
  if (filter.tokenId !== null) query = query.where("token_id", "=", filter.tokenId);
  if (filter.operation !== null) query = query.where("operation", "=", filter.operation);
  if (filter.sinceTs !== null) query = query.where("at", ">=", filter.sinceTs);
  if (page.after !== null) query = query.where("audit_id", "<", page.after);
  return await query.orderBy("audit_id", "desc").limit(page.limit).execute();
}

/** Deletes entries older than the time, and the oldest ones above `rowsMax`. Returns the number of deleted rows. */
export async function pruneAudit(db: Db, { before, rowsMax }: { before: number; rowsMax: number }): Promise<number> {
  const { query } = db;
  const rows = query.selectFrom("audit").select("audit_id");
  // In the order of the time index: ordered by id, the database would scan all rows for old ones.
  const old = await deleteInSteps((limit) =>
    deleteEntries(query, rows.where("at", "<", before).orderBy("at").limit(limit)),
  );
  const { count } = await query
    .selectFrom("audit")
    .select((select) => select.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count <= rowsMax) return old;
  const oldest = (limit: number) => deleteEntries(query, rows.orderBy("audit_id").limit(limit));
  return old + (await deleteInSteps(oldest, count - rowsMax));
}

function deleteEntries(query: Kysely<Tables>, entries: SelectQueryBuilder<Tables, "audit", { audit_id: string }>) {
  return query.deleteFrom("audit").where("audit_id", "in", entries).executeTakeFirstOrThrow();
}

const columns = [
  "audit_id as auditId",
  "at",
  "operation",
  "kind",
  "token_id as tokenId",
  "game_id as gameId",
  "namespace_id as namespaceId",
  "target",
  "client",
  "request_id as requestId",
] as const;
