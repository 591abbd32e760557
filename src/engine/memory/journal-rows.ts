import { crc32 } from "node:zlib";
import type { SqliteDatabase } from "../../ground/sqlite.ts";
import { damagedMessage, JournalRefused } from "./journal-errors.ts";
import { readBatch } from "./journal-messages.ts";

/** Writes the result of a group of batches. The caller has started the transaction. */
export type WriteBatches = (texts: Iterable<string>) => void;

/**
 * Several rows in one statement cost a third less than one by one. A record that changed more than once in a group
 * is written once, as it is at the end.
 */
export function prepareWriting(database: SqliteDatabase): WriteBatches {
  const putMany = database.prepare(putSql(rowsPerStatement));
  const putOne = database.prepare(putSql(1));
  const removeOne = database.prepare("delete from entities where namespace_id = ? and entity = ? and id = ?");

  return (texts) => {
    let values: unknown[] = [];
    for (const [namespaceId, entity, id, row] of latest(texts).values()) {
      if (row === "") {
        removeOne.run(namespaceId, entity, id);
        continue;
      }
      values.push(namespaceId, entity, id, row, crc32(writeSummedText(entity, id, row), crc32(namespaceId)));
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

type LastChange = readonly [namespaceId: string, entity: number, id: string, row: string];

function latest(texts: Iterable<string>): Map<string, LastChange> {
  const changes = new Map<string, LastChange>();
  for (const text of texts) {
    readBatch(text, (namespaceId, entity, id, row) => {
      changes.set(`${namespaceId}/${entity}/${id}`, [namespaceId, entity, id, row]);
    });
  }
  return changes;
}

/** The text of the checksum, after the namespace's id. It includes the key, so that a damaged id is noticed too. */
function writeSummedText(entity: number, id: string, row: string): string {
  return `[${entity},${id},${row}]`;
}

/**
 * Reads and checks every row, or every row of one namespace. Passes them on as JSON text, in pieces that one thread can
 * send and the other can parse without a long pause.
 */
export function readRows(
  database: SqliteDatabase,
  file: string,
  give: (namespaceId: string, text: string) => void,
  onlyNamespaceId: string | null = null,
): void {
  const select = database.prepare(pageSql);
  const wanted = onlyNamespaceId === null ? namespaceIds(database, file) : [onlyNamespaceId];
  for (const { namespaceId, entity, after, through } of pages(database, file, wanted)) {
    // The cast is safe: the table is strict, so these columns have these types.
    const page = select.get(namespaceId, entity, after, through) as { texts: string; sums: string };
    if (!matches(namespaceId, page.texts.split(separator), JSON.parse(`[${page.sums}]`))) {
      const reason = `a row of namespace ${namespaceId} does not match its checksum`;
      throw new JournalRefused(damagedMessage(file, reason));
    }
    give(namespaceId, `[${page.texts}]`);
  }
}

/** Between rows, and never inside one: in JSON text a line break is always escaped. */
const separator = ",\n";

// SQLite joins the texts (as writeSummedText does), because each value that it returns costs more than the join.
const pageSql = `
  select group_concat('[' || entity || ',' || id || ',' || row || ']', char(44, 10)) as texts, group_concat(sum) as sums
  from entities where namespace_id = ? and entity = ? and id > ? and id <= ?`;

function matches(namespaceId: string, texts: readonly string[], sums: readonly number[]): boolean {
  const start = crc32(namespaceId);
  return texts.length === sums.length && texts.every((text, i) => crc32(text, start) === sums[i]);
}

interface Page {
  readonly namespaceId: string;
  readonly entity: number;
  /** The last id of the page before. */
  readonly after: string;
  readonly through: string;
}

const rowsPerPage = 500;

function* pages(database: SqliteDatabase, file: string, wanted: Iterable<string>): Iterable<Page> {
  const rows = "from entities where namespace_id = ? and entity = ?";
  const end = database.prepare(`select id ${rows} and id > ? order by id limit 1 offset ${rowsPerPage - 1}`);
  const last = database.prepare(`select max(id) as id ${rows}`);
  for (const { namespaceId, entity } of groups(database, file, wanted)) {
    const lastId: string = last.get(namespaceId, entity).id;
    // No id is empty: each is JSON text.
    for (let after = ""; after !== lastId; ) {
      const through: string = end.get(namespaceId, entity, after)?.id ?? lastId;
      if (!isLater(through, after)) throw outOfOrder(file, namespaceId);
      yield { namespaceId, entity, after, through };
      after = through;
    }
  }
}

function* groups(
  database: SqliteDatabase,
  file: string,
  wanted: Iterable<string>,
): Iterable<{ namespaceId: string; entity: number }> {
  const next = database.prepare("select min(entity) as number from entities where namespace_id = ? and entity > ?");
  for (const namespaceId of wanted) {
    let last = -1;
    for (let entity: number | null = next.get(namespaceId, last).number; entity !== null; ) {
      if (entity <= last) throw outOfOrder(file, namespaceId);
      yield { namespaceId, entity };
      last = entity;
      entity = next.get(namespaceId, last).number;
    }
  }
}

/** One by one: a query for all distinct ids would read every row. */
function* namespaceIds(database: SqliteDatabase, file: string): Iterable<string> {
  const next = database.prepare("select min(namespace_id) as id from entities where namespace_id > ?");
  let after = "";
  for (let id: string | null = next.get(after).id; id !== null; id = next.get(after).id) {
    if (!isLater(id, after)) throw outOfOrder(file, id);
    yield id;
    after = id;
  }
}

/** In the order of SQLite, which is that of bytes. */
function isLater(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) > 0;
}

/** The file is read before it is checked; in a damaged file, continuing after such a row might never end. */
function outOfOrder(file: string, namespaceId: string): JournalRefused {
  return new JournalRefused(damagedMessage(file, `the rows of namespace ${namespaceId} are out of order`));
}
