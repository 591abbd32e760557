import { createHash } from "node:crypto";
import {
  formatVersion,
  listColumns,
  type Row,
  type RowCounts,
  type TableName,
  tableNames,
  transferTables,
} from "./format.ts";
import { DocumentError, type DocumentSource, type Line, readContent, splitLines } from "./lines.ts";

export interface DocumentRow {
  readonly table: TableName;
  readonly row: Row;
}

/**
 * Reads a document row by row and checks all of it: that it is complete and unchanged, that each row has the columns of
 * its table, that unique values are unique, and that references exist. Throws a DocumentError at the first issue; until
 * the end is reached, the document is not known to be valid. Returns the number of rows.
 */
export async function* readDocument(source: DocumentSource): AsyncGenerator<DocumentRow, RowCounts> {
  const checksum = createHash("sha256");
  const check = createRowCheck();
  let last: Line | null = null;
  let isEnded = false;
  for await (const line of splitLines(source)) {
    if (isEnded)
      throw new DocumentError(`Line ${line.number} comes after the end of the document in line ${last?.number}.`);
    last = line;
    const { word, value, whole } = readContent(line);
    if (line.number === 1) checkHeader(whole);
    else if (word === "end") {
      checkEnd(line.number, value, check.counts, checksum.digest("hex"));
      isEnded = true;
      continue;
    } else yield check.row(line.number, word, value, Object.keys(whole).length);
    checksum.update(line.bytes);
  }
  if (last === null) throw new DocumentError("The document is empty.");
  if (!isEnded) throw new DocumentError(`The document is cut off after line ${last.number}: its last line is missing.`);
  return check.counts;
}

function checkHeader(header: object): void {
  const version = "foyer_export" in header ? header.foyer_export : null;
  if (version === formatVersion) return;
  if (typeof version === "number" && version > formatVersion) {
    throw new DocumentError(
      `Line 1 has format ${version}, and this Foyer reads ${formatVersion}: import it with the version that exported it, or a later one.`,
    );
  }
  throw new DocumentError("Line 1 is not the first line of an export of Foyer.");
}

function checkEnd(number: number, value: unknown, counts: RowCounts, sha256: string): void {
  // The type does not matter: only the expected text is accepted.
  const end = (value ?? {}) as { rows?: Record<string, unknown>; sha256?: unknown };
  for (const table of tableNames) {
    const { word } = transferTables[table];
    // A document from before the table existed has no count for it, and no rows.
    if ((end.rows?.[word] ?? 0) === counts[table]) continue;
    throw new DocumentError(
      `Line ${number} counts ${String(end.rows?.[word])} rows named "${word}", but the document has ${counts[table]}: some were lost or added.`,
    );
  }
  if (end.sha256 === sha256) return;
  throw new DocumentError(
    `The checksum in line ${number} does not match the lines before it: the document was changed after the export.`,
  );
}

function createRowCheck() {
  const tableOfWord = new Map(tableNames.map((table) => [transferTables[table].word, table]));
  const counts: Record<TableName, number> = { ...noRows };
  /** The values seen, per unique key. */
  const seen = new Map<string, Set<string>>();
  let reached = 0;

  function keyName(table: TableName, columns: readonly string[]): string {
    return `${table} ${columns.join(" ")}`;
  }

  function checkUnique(number: number, table: TableName, row: Row): void {
    for (const columns of transferTables[table].unique) {
      const name = keyName(table, columns);
      const values = seen.get(name) ?? new Set();
      const value = readKey(row, columns) ?? "";
      if (values.has(value)) throw rowError(number, table, `has the same ${columns.join(" and ")} as an earlier one`);
      seen.set(name, values.add(value));
    }
  }

  function checkReferences(number: number, table: TableName, row: Row): void {
    for (const { by, to } of transferTables[table].refers) {
      const value = readKey(row, by);
      if (value === null || seen.get(keyName(to, by))?.has(value)) continue;
      const { word } = transferTables[to];
      throw rowError(number, table, `refers by ${by.join(" and ")} to a ${word} that the document does not have`);
    }
  }

  return {
    counts,
    row(number: number, word: string, value: unknown, properties: number): DocumentRow {
      const table = tableOfWord.get(word);
      if (table === undefined || properties !== 1) {
        throw new DocumentError(`Line ${number} is not a line of an export of Foyer.`);
      }
      const place = tableNames.indexOf(table);
      if (place < reached) throw rowError(number, table, `comes after a ${transferTables[tableNames[reached]!].word}`);
      reached = place;
      const row = checkColumns(number, table, value);
      checkUnique(number, table, row);
      checkReferences(number, table, row);
      counts[table] += 1;
      return { table, row };
    },
  };
}

const noRows: RowCounts = {
  games: 0,
  versions: 0,
  version_images: 0,
  builds: 0,
  build_uses: 0,
  namespaces: 0,
  domains: 0,
  blocks: 0,
  deployments: 0,
  tokens: 0,
  lobby_history: 0,
};

function checkColumns(number: number, table: TableName, value: unknown): Row {
  if (typeof value !== "object" || value === null) throw rowError(number, table, "has no columns");
  const columns = listColumns(table);
  const known = new Set(columns.map(([name]) => name));
  const unknown = Object.keys(value).find((name) => !known.has(name));
  if (unknown !== undefined) throw rowError(number, table, `has an unknown column ${JSON.stringify(unknown)}`);
  // What each property holds is checked next.
  const row = value as Row;
  for (const [name, column] of columns) {
    if (column.mayBeAbsent && !Object.hasOwn(row, name)) continue;
    if (!Object.hasOwn(row, name)) throw rowError(number, table, `has no ${name}`);
    if (!column.holds(row[name])) throw rowError(number, table, `has an invalid ${name}: it must be ${column.allowed}`);
  }
  const issue = transferTables[table].findIssue?.(row) ?? null;
  if (issue !== null) throw rowError(number, table, `contradicts itself: ${issue}`);
  return row;
}

/** Null if one of the columns is null: such a row has no reference. */
function readKey(row: Row, columns: readonly string[]): string | null {
  const values = columns.map((name) => row[name] ?? null);
  return values.includes(null) ? null : values.join("\0");
}

function rowError(number: number, table: TableName, what: string): DocumentError {
  return new DocumentError(`Line ${number}: the ${transferTables[table].word.replace("_", " ")} ${what}.`);
}
