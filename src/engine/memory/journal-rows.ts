import { crc32 } from "node:zlib";
import type { SqliteDatabase } from "../../sqlite-library.ts";
import { damagedMessage, JournalRefused } from "./journal-errors.ts";
import type { Append } from "./journal-messages.ts";

/** Writes what a group of appends comes to. The caller holds the transaction. */
export type WriteAppends = (appends: Iterable<Append>) => void;

/**
 * Several rows in one statement cost a third less than one by one. An entity that changed more than once in a group
 * is written once, as it is at the end.
 */
export function prepareWriting(database: SqliteDatabase): WriteAppends {
  const putMany = database.prepare(putSql(rowsPerStatement));
  const putOne = database.prepare(putSql(1));
  const removeOne = database.prepare("delete from entities where namespace_id = ? and entity = ? and id = ?");

  return (appends) => {
    let values: unknown[] = [];
    for (const [namespaceId, entity, id, row] of latest(appends).values()) {
      if (row === null) {
        removeOne.run(namespaceId, entity, id);
        continue;
      }
      const text = JSON.stringify(row);
      values.push(namespaceId, entity, id, text, sumOf(namespaceId, textOf(entity, id, text)));
      if (values.length < rowsPerStatement * columns) continue;
      putMany.run(...values);
      values = [];
    }
    for (let i = 0; i < values.length; i += columns) putOne.run(...values.slice(i, i + columns));
  };
}

const columns = 5;
const rowsPerStatement = 16;

function putSql(rows: number): string {
  return `insert or replace into entities values ${Array(rows).fill("(?, ?, ?, ?, ?)").join(", ")}`;
}

type StoredChange = readonly [namespaceId: string, entity: number, id: string, row: unknown];

function latest(appends: Iterable<Append>): Map<string, StoredChange> {
  const changes = new Map<string, StoredChange>();
  for (const append of appends) {
    // A border: the journal on the other side of the thread built these, see journal-messages.ts.
    const namespaceId = append[0] as string;
    for (let i = 1; i < append.length; i += 3) {
      const entity = append[i] as number;
      // As JSON, because not every SQLite library keeps text with a NUL in it, and loading needs it as JSON anyway.
      const id = JSON.stringify(append[i + 1]);
      changes.set(`${namespaceId}/${entity}/${id}`, [namespaceId, entity, id, append[i + 2]]);
    }
  }
  return changes;
}

/** Over the key as well, so that a row under a damaged id is noticed too. */
function sumOf(namespaceId: string, text: string): number {
  return crc32(text, crc32(namespaceId));
}

function textOf(entity: number, id: string, row: string): string {
  return `[${entity},${id},${row}]`;
}

/** Gives every row, checked, as JSON text in pieces that one thread can send and the other can parse without a long stop. */
export function readRows(
  database: SqliteDatabase,
  file: string,
  give: (namespaceId: string, text: string) => void,
): void {
  // SQLite puts the texts together (as textOf does) because each value that it hands over costs more than that.
  const select = database.prepare(
    "select '[' || entity || ',' || id || ',' || row || ']' as text, sum from entities where namespace_id = ?",
  );
  for (const namespaceId of namespaceIds(database)) {
    let texts: string[] = [];
    let length = 0;
    // A border: the table is strict, so these columns have these types.
    for (const { text, sum } of select.iterate(namespaceId) as Iterable<{ text: string; sum: number }>) {
      if (sum !== sumOf(namespaceId, text)) {
        const reason = `a row of namespace ${namespaceId} does not match its checksum`;
        throw new JournalRefused(damagedMessage(file, reason));
      }
      texts.push(text);
      length += text.length;
      if (length < pieceCharacters) continue;
      give(namespaceId, `[${texts.join(",")}]`);
      texts = [];
      length = 0;
    }
    if (texts.length > 0) give(namespaceId, `[${texts.join(",")}]`);
  }
}

const pieceCharacters = 512 * 1024;

/** One by one: to ask for all different ones at once would read every row. */
function* namespaceIds(database: SqliteDatabase): Iterable<string> {
  const next = database.prepare("select min(namespace_id) as id from entities where namespace_id > ?");
  for (let id: string | null = next.get("").id; id !== null; id = next.get(id).id) yield id;
}
