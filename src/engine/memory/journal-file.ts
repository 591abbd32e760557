import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { isNotWritable } from "../../ground/read-only.ts";
import type { SqliteDatabase, SqliteLibrary } from "../../ground/sqlite.ts";
import { damagedMessage, JournalRefused, readSqliteCode } from "./journal-errors.ts";
import { selectCommit } from "./journal-inspection.ts";
import type { Note } from "./journal-note.ts";

/**
 * Opens the journal's file exclusively, or refuses it with a reason. Its content may be used after `verifyAndSync` has
 * succeeded. The end of the thread closes it.
 */
export function openJournalFile(Database: SqliteLibrary, file: string): SqliteDatabase {
  createPrivately(file);
  const database = new Database(file, { timeout: 0 });
  takeForItself(database, file);
  database.exec(settings);
  checkLayout(database, file);
  return database;
}

/** The same; null: the file is there and cannot be written, for example because its file system became read-only. */
export function openUnlessReadOnly(Database: SqliteLibrary, file: string): SqliteDatabase | null {
  try {
    return openJournalFile(Database, file);
  } catch (error) {
    if (isNotWritable(error)) return null;
    throw error;
  }
}

/**
 * Opens a file that cannot be written, with its log. SQLite would need to write a lock and an index of the log. Without
 * locks it keeps the index in memory; the lock of the data folder excludes other writers.
 */
export function openToRead(Database: SqliteLibrary, file: string): SqliteDatabase {
  const database = new Database(`${pathToFileURL(file).href}?mode=ro&vfs=unix-none`, { readOnly: true, timeout: 0 });
  database.exec("pragma locking_mode = exclusive");
  checkPages(database, file);
  return database;
}

/**
 * Refuses a damaged file and syncs it to disk. Called after the rows were read, because the other thread can process
 * them meanwhile: checking a million rows takes half a second.
 */
export function verifyAndSync(database: SqliteDatabase, file: string): void {
  checkPages(database, file);
  settle(database);
}

/** Writes the number of a commit in its transaction, so that a missing commit can be noticed. */
export interface CommitCounter {
  readonly journalId: string;
  readonly last: number;
  /** Inside the transaction. */
  write(number: number): void;
}

/**
 * Starts counting in a new file, and in a file of a version that did not count. `verifyAndSync` then merges the id into
 * the file, so that it is known even when the whole log is lost.
 */
export function openCommitCounter(database: SqliteDatabase): CommitCounter {
  const newId = randomBytes(16).toString("hex");
  const stored = (isCounted(database) || beginCounting(database, newId)) && database.prepare(selectCommit).get();
  // The cast is safe: the table is strict. Without the table (the disk was full) nothing is counted until the next
  // start.
  const { journalId, commit } = stored ? (stored as Note) : { journalId: newId, commit: 0 };
  const set = stored ? database.prepare("update commits set number = ?") : null;
  return { journalId, last: commit, write: (number) => void set?.run(number) };
}

function isCounted(database: SqliteDatabase): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'commits'").get() !== undefined;
}

function beginCounting(database: SqliteDatabase, journalId: string): boolean {
  try {
    database.exec(`begin immediate; ${commitsTable}; insert into commits values (1, '${journalId}', 0); commit`);
    return true;
  } catch (error) {
    if (((readSqliteCode(error) ?? 0) & 0xff) !== fullCode) throw error;
    if (database.isTransaction) database.exec("rollback");
    return false;
  }
}

// The id distinguishes this journal from another one at the same path, to which an old note would not belong.
const commitsTable = `create table commits (
  one integer primary key check (one = 1), journal_id text not null, number integer not null) strict`;

/** Merges the write-ahead log into the file. No other connection has the file open, so nothing blocks it. */
export function checkpoint(database: SqliteDatabase, mode: "passive" | "truncate"): void {
  // Uses exec, because not every method returns SQLite's error code, which identifies a failed sync.
  database.exec(`pragma wal_checkpoint(${mode})`);
}

// "FOYJ" in ASCII, and the layout of the tables. The layout of rows has a version of its own, inside the rows.
const applicationId = 0x464f594a;
const layout = 1;

// The id and the row are JSON text. The checksum covers the whole text: SQLite notices damage to its own structures,
// not to content.
const tables = `
  create table entities (
    namespace_id text not null,
    entity integer not null,
    id text not null,
    row text not null,
    sum integer not null,
    primary key (namespace_id, entity, id)
  ) strict, without rowid;
  create table probe (number integer primary key, filler blob not null) strict;
`;

// The worker makes checkpoints itself and so notices when they fail; SQLite's automatic ones report no failure.
const settings = `
  pragma synchronous = full;
  pragma wal_autocheckpoint = 0;
  pragma journal_size_limit = ${64 * 1024 * 1024};
  pragma cache_size = -${32 * 1024};
  pragma trusted_schema = off;
`;

/** Creates the file before SQLite does, so that it is never readable by others, and syncs the folder. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** In exclusive mode the first access takes a lock that lasts until the file is closed or the process ends. */
function takeForItself(database: SqliteDatabase, file: string): void {
  try {
    database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal");
    database.exec("begin immediate; commit");
  } catch (error) {
    const code = readSqliteCode(error);
    if (code === null || !busyCodes.has(code & 0xff)) throw error;
    throw new JournalRefused(`The file ${file} is in use by another process or journal. Stop that one first.`);
  }
}

// SQLITE_BUSY and SQLITE_LOCKED.
const busyCodes = new Set([5, 6]);

function checkLayout(database: SqliteDatabase, file: string): void {
  const found = { application: pragma(database, "application_id"), layout: pragma(database, "user_version") };
  const isEmpty = database.prepare("select 1 from sqlite_schema limit 1").get() === undefined;
  if (isEmpty && found.application === 0 && found.layout === 0) {
    database.exec(`begin immediate; ${tables} pragma application_id = ${applicationId};
      pragma user_version = ${layout}; commit`);
    return;
  }
  if (found.application !== applicationId) {
    throw new JournalRefused(
      `The file ${file} is a database of another program. Move it to another folder, or use another data folder.`,
    );
  }
  if (found.layout > layout) {
    throw new JournalRefused(
      `The file ${file} was written by a newer Foyer (layout ${found.layout}; this one reads ${layout}). ` +
        "Use that version, or restore the data folder from before the upgrade.",
    );
  }
  if (found.layout < layout) throw new JournalRefused(damagedMessage(file, `unknown layout ${found.layout}`));
}

function pragma(database: SqliteDatabase, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get())[0]);
}

/** The whole check, because the quick one leaves out the order of rows, which reading them in pages relies on. */
function checkPages(database: SqliteDatabase, file: string): void {
  const first: { integrity_check?: string } | undefined = database.prepare("pragma integrity_check(1)").get();
  if (first?.integrity_check !== "ok") {
    throw new JournalRefused(damagedMessage(file, first?.integrity_check ?? "no answer"));
  }
}

/**
 * What a process wrote just before it was killed may be readable but not synced to disk. A checkpoint first syncs the
 * log; if it then finds a full disk, everything readable is still durable.
 */
function settle(database: SqliteDatabase): void {
  try {
    checkpoint(database, "truncate");
  } catch (error) {
    if ((readSqliteCode(error) ?? 0) !== fullCode) throw error;
  }
}

const fullCode = 13;
