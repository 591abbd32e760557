import type { Transaction } from "kysely";
import { cached } from "./cache.ts";
import type { Db, Page } from "./db.ts";
import { type PreparedRead, parameter, readRow } from "./read.ts";
import type { Tables } from "./tables.ts";
import { transact } from "./transaction.ts";

export interface SessionRow {
  readonly sessionId: string;
  /** Which admin token was in force when the code of the session was made. */
  readonly admin: string;
  readonly createTs: number;
  readonly lastUsedTs: number;
}

interface CodeRow {
  readonly hash: string;
  readonly admin: string;
  readonly createTs: number;
}

/** Deletes codes from before that time, and the oldest above the maximum. */
export function insertCode(
  db: Db,
  { hash, admin, createTs }: CodeRow,
  { rowsMax, createdAfter }: { readonly rowsMax: number; readonly createdAfter: number },
): Promise<"ok"> {
  return transact(db, [], async (transaction) => {
    await transaction.insertInto("sign_in_codes").values({ hash, admin, create_ts: createTs }).execute();
    const rows = await transaction
      .selectFrom("sign_in_codes")
      .select(["hash", "create_ts"])
      .orderBy("create_ts", "desc")
      .execute();
    // The new one stays also where a clock is behind.
    const others = rows.filter((row) => row.hash !== hash);
    const ended = others.filter((row, index) => index >= rowsMax - 1 || row.create_ts <= createdAfter);
    const hashes = ended.map((row) => row.hash);
    if (hashes.length > 0) await transaction.deleteFrom("sign_in_codes").where("hash", "in", hashes).execute();
    return "ok";
  });
}

export async function findCode(db: Db, hash: string): Promise<CodeRow | null> {
  const query = db.query.selectFrom("sign_in_codes").select(["hash", "admin", "create_ts as createTs"]);
  return (await query.where("hash", "=", hash).executeTakeFirst()) ?? null;
}

/** Changes a code for a session. False: it was used meanwhile, and nothing changed. */
export function insertSession(
  db: Db,
  { code, session }: { code: string; session: SessionRow & { readonly hash: string } },
  { rowsMax, open }: { readonly rowsMax: number; readonly open: OpenSessions },
): Promise<boolean> {
  const ended: string[] = [];
  return transact<boolean>(db, ended, async (transaction, undo) => {
    const used = await transaction.deleteFrom("sign_in_codes").where("hash", "=", code).executeTakeFirst();
    if (used.numDeletedRows === 0n) throw undo(false);
    const { sessionId, hash, admin, createTs, lastUsedTs } = session;
    const times = { create_ts: createTs, last_used_ts: lastUsedTs };
    await transaction
      .insertInto("sessions")
      .values({ session_id: sessionId, hash, admin, ...times })
      .execute();
    ended.push(...(await deleteEnded(transaction, sessionId, rowsMax, open)));
    return true;
  });
}

async function deleteEnded(
  transaction: Transaction<Tables>,
  made: string,
  rowsMax: number,
  { admin, createdAfter, usedAfter }: OpenSessions,
): Promise<string[]> {
  const rows = await transaction.selectFrom("sessions").select(columns).orderBy("create_ts", "desc").execute();
  const isOpen = (row: SessionRow) => row.admin === admin && row.createTs > createdAfter && row.lastUsedTs > usedAfter;
  // The new one stays also where a clock is behind.
  const others = rows.filter((row) => row.sessionId !== made);
  const kept = new Set(others.filter(isOpen).slice(0, rowsMax - 1));
  const ids = others.filter((row) => !kept.has(row)).map((row) => row.sessionId);
  if (ids.length > 0) await transaction.deleteFrom("sessions").where("session_id", "in", ids).execute();
  return ids;
}

export function findSessionByHash(db: Db, hash: string): Promise<SessionRow | null> {
  return cached(
    db,
    `session ${hash}`,
    () => readRow(db, byHash, [hash]),
    ({ sessionId }) => [sessionId],
  );
}

/** What a session must be to be open. */
export interface OpenSessions {
  readonly admin: string;
  readonly createdAfter: number;
  readonly usedAfter: number;
}

/** Newest first. */
export async function listSessions(db: Db, page: Page, open: OpenSessions): Promise<SessionRow[]> {
  let query = db.query
    .selectFrom("sessions")
    .select(columns)
    .where("admin", "=", open.admin)
    .where("create_ts", ">", open.createdAfter)
    .where("last_used_ts", ">", open.usedAfter);
  if (page.after !== null) query = query.where("session_id", "<", page.after);
  return await query.orderBy("session_id", "desc").limit(page.limit).execute();
}

/** Every node reads the row again, because one that knew an earlier use would end the session too early. */
export function noteSessionUse(db: Db, sessionId: string, now: number): Promise<"ok"> {
  return transact(db, [sessionId], async (transaction) => {
    await transaction
      .updateTable("sessions")
      .set({ last_used_ts: now })
      .where("session_id", "=", sessionId)
      .where("last_used_ts", "<", now)
      .execute();
    return "ok";
  });
}

/** False: there is no such session. */
export function deleteSession(db: Db, sessionId: string): Promise<boolean> {
  return transact<boolean>(db, [sessionId], async (transaction, undo) => {
    const query = transaction.deleteFrom("sessions").where("session_id", "=", sessionId);
    if ((await query.executeTakeFirst()).numDeletedRows === 0n) throw undo(false);
    return true;
  });
}

const columns = ["session_id as sessionId", "admin", "create_ts as createTs", "last_used_ts as lastUsedTs"] as const;

const byHash: PreparedRead<SessionRow> = {
  name: "sessionByHash",
  build: (query) => query.selectFrom("sessions").select(columns).where("hash", "=", parameter),
};
