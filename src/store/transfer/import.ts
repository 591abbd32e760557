import { sql, type Transaction } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
import { type DocumentRow, readDocument } from "./document.ts";
import { countsInWords, listColumns, type Row, type RowCounts, type TableName, tableNames } from "./format.ts";
import type { DocumentSource } from "./lines.ts";

/** The store already has rows. An import would mix two installations, so it needs an empty store. */
export class StoreNotEmpty extends Error {
  override readonly name = "StoreNotEmpty";
}

/** Reads a document to its end, so that an issue is found before anything is opened or written. */
export async function checkDocument(source: DocumentSource): Promise<RowCounts> {
  const rows = readDocument(source);
  for (;;) {
    const { done, value } = await rows.next();
    if (done) return value;
  }
}

/** Imports a document into an empty store, all of it or nothing. Throws a DocumentError or StoreNotEmpty. */
export function importDocument(db: Db, source: DocumentSource): Promise<RowCounts> {
  return db.query.transaction().execute(async (transaction) => {
    const present = await countRows(transaction);
    if (tableNames.some((table) => present[table] > 0)) {
      throw new StoreNotEmpty(`The store is not empty: it has ${countsInWords(present)}.`);
    }

    const rows = readDocument(source);
    let batch: DocumentRow[] = [];
    for (;;) {
      const { done, value } = await rows.next();
      const isOther = !done && batch[0] !== undefined && batch[0].table !== value.table;
      if (batch.length > 0 && (done || isOther || batch.length === rowsPerStatement)) {
        await insert(transaction, batch);
        batch = [];
      }
      if (done) return value;
      batch.push(value);
    }
  });
}

// Well below the maximum number of parameters of a statement in both databases.
const rowsPerStatement = 200;

/** All rows are of one table. */
async function insert(transaction: Transaction<Tables>, batch: readonly DocumentRow[]): Promise<void> {
  const table = batch[0]!.table;
  const names = listColumns(table).map(([name]) => name);
  const values = batch.map(({ row }) => sql`(${sql.join(listValues(row, names))})`);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${columns}) values ${sql.join(values)}`.execute(transaction);
}

function listValues(row: Row, names: readonly string[]): (string | number | null)[] {
  return names.map((name) => row[name] ?? null);
}

async function countRows(transaction: Transaction<Tables>): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const table of tableNames) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      transaction,
    );
    counts[table] = Number(rows[0]?.count ?? 0);
  }
  // The loop above has counted every table.
  return counts as Record<TableName, number>;
}
