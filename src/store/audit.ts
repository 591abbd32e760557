import type { Kysely, SelectQueryBuilder } from "kysely";
import { withoutLostRaces } from "./cache.ts";
import type { AuditEntry, Db, Page, PendingChange } from "./db.ts";
import type { Tables } from "./tables.ts";

/** The same store; the next transaction that goes through also records the change. */
export function recording(db: Db, pending: PendingChange): Db {
  return { ...db, pending };
}

/** For a change that was no transaction of this store. */
export function recordChange(db: Db, change: PendingChange): Promise<void> {
  // Not by write(): the log is never kept in the cache.
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

/** Deletes what is older than the time, and the oldest of more than `rowsMax` rows. Gives the number of rows deleted. */
export async function pruneAudit(db: Db, { before, rowsMax }: { before: number; rowsMax: number }): Promise<number> {
  const old = await deleteInSteps(db, (query) => query.where("at", "<", before));
  const { query } = db;
  const firstTooMany = await query
    .selectFrom("audit")
    .select("audit_id")
    .orderBy("audit_id", "desc")
    .limit(1)
    .offset(rowsMax)
    .executeTakeFirst();
  if (!firstTooMany) return old;
  return old + (await deleteInSteps(db, (rows) => rows.where("audit_id", "<=", firstTooMany.audit_id)));
}

const rowsPerStep = 5_000;

/** A statement on SQLite holds up everything else, so that none may delete very many rows. */
async function deleteInSteps(db: Db, narrow: (rows: AuditRows) => AuditRows): Promise<number> {
  for (let deleted = 0; ; ) {
    const step = narrow(db.query.selectFrom("audit").select("audit_id")).orderBy("audit_id").limit(rowsPerStep);
    const { numDeletedRows } = await withoutLostRaces(() =>
      db.query.deleteFrom("audit").where("audit_id", "in", step).executeTakeFirst(),
    );
    deleted += Number(numDeletedRows);
    if (numDeletedRows < rowsPerStep) return deleted;
  }
}

type AuditRows = SelectQueryBuilder<Tables, "audit", { audit_id: string }>;

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
