import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { type Snapshot, type StorePlace, withSnapshot } from "./export-snapshot.ts";
import {
  formatVersion,
  leftOut,
  listColumns,
  type Row,
  type RowCounts,
  type TableName,
  tableNames,
  transferTables,
} from "./format.ts";

export interface ExportOptions {
  /** The version of Foyer, for the first line. */
  readonly foyer: string;
  readonly exportTs: number;
  /** Receives the document in pieces of whole lines. */
  write(text: string): Promise<void>;
  /** Reads more of the same snapshot, after the document is written. */
  also?(snapshot: Snapshot): Promise<void>;
}

/** Writes a snapshot of the rows, also while a service uses the store. Changes nothing. */
export function exportStore(place: StorePlace, options: ExportOptions): Promise<RowCounts> {
  return withSnapshot(place, async (snapshot) => {
    const checksum = createHash("sha256");
    const write = (text: string) => {
      checksum.update(text, "utf8");
      return options.write(text);
    };
    const { foyer, exportTs } = options;
    await write(line({ foyer_export: formatVersion, foyer, export_ts: exportTs, without: leftOut }));

    const counts: Record<string, number> = {};
    for (const table of tableNames) {
      counts[table] = 0;
      for await (const page of pagesOf(snapshot, table)) {
        counts[table] += page.length;
        await write(page.map((row) => line({ [transferTables[table].word]: row })).join(""));
      }
    }
    const rows = Object.fromEntries(tableNames.map((table) => [transferTables[table].word, counts[table]]));
    await options.write(line({ end: { rows, sha256: checksum.digest("hex") } }));
    await options.also?.(snapshot);
    // The loop above has counted every table.
    return counts as RowCounts;
  });
}

const rowsPerPage = 500;

async function* pagesOf(snapshot: Snapshot, table: TableName): AsyncGenerator<Row[]> {
  const columns = listColumns(table);
  const key = transferTables[table].unique[0]?.[0] ?? "";
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  let after = "";
  for (;;) {
    // Ids and domains are never empty, so every row is greater than the empty text.
    const { rows } = await sql<Record<string, unknown>>`
      select ${names} from ${sql.table(table)} where ${sql.ref(key)} > ${after} and ${isKept(table)}
      order by ${sql.ref(key)} limit ${rowsPerPage}
    `.execute(snapshot);
    if (rows.length > 0) yield rows.map((row) => toRow(row, columns));
    if (rows.length < rowsPerPage) return;
    after = String(rows.at(-1)?.[key]);
  }
}

/** Not a deleted game or namespace that is being removed, and nothing that belongs to one. */
function isKept(table: TableName): RawBuilder<unknown> {
  const parents = transferTables[table].refers.map(({ by, to }) => {
    const key = sql.ref(by.at(-1) ?? "");
    return sql`(${key} is null or ${key} in (select ${key} from ${sql.table(to)} where ${isKept(to)}))`;
  });
  const isMarked = table === "games" || table === "namespaces";
  return sql.join([isMarked ? sql`delete_ts is null` : sql`1 = 1`, ...parents], sql` and `);
}

/** The columns in one order on both stores. PostgreSQL's driver returns every bigint as text. */
function toRow(found: Record<string, unknown>, columns: ReturnType<typeof listColumns>): Row {
  return Object.fromEntries(
    columns.map(([name, { isNumber }]) => {
      const value = found[name] ?? null;
      if (value === null) return [name, null];
      return [name, isNumber ? Number(value) : String(value)];
    }),
  );
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}
