import { chmod, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { Kysely } from "kysely";
import { loadSqlite, type SqliteDatabase, type SqliteLibrary } from "../ground/sqlite.ts";
import { busyTimeoutMs, copyDatabase, sqliteFileName } from "./backup.ts";
import { isDamaged, toStoreError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import type { OpenStore } from "./open-store.ts";
import { sqliteDialect, sqliteRunner } from "./sqlite-driver.ts";
import type { Tables } from "./tables.ts";

/** The store in one file of the data folder. Only this process writes it; others may read it for a backup. */
export async function openSqlite(dataDir: string): Promise<OpenStore> {
  const file = join(dataDir, sqliteFileName);
  const Database = await loadSqlite();
  const writer = await openWriter(Database, file, dataDir);
  const query = new Kysely<Tables>({ dialect: sqliteDialect(writer) });
  let reader: SqliteDatabase;
  try {
    await migrate(query, "sqlite", `The database file ${file}`);
    reader = new Database(file, { readOnly: true, timeout: busyTimeoutMs });
  } catch (error) {
    writer.close();
    throw isDamaged(error) ? damaged(file, error) : error;
  }

  // Reads outside transactions have their own connection, without a queue: it sees only committed data.
  const read = sqliteRunner(reader);
  return {
    engine: "sqlite",
    query,
    async rows(_name, text, parameters) {
      return read(text, parameters).rows;
    },
    async backup(target) {
      try {
        await copyDatabase(reader, target);
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async close() {
      // The writer is closed last, because only it can merge the write-ahead log into the file.
      reader.close();
      await query.destroy();
      if (writer.isOpen) writer.close();
    },
  };
}

// A check reads the whole file. Games and tokens never fill this much, and a start must not take minutes.
const checkedFileMaxBytes = 256 * 1024 * 1024;

async function openWriter(Database: SqliteLibrary, file: string, dataDir: string): Promise<SqliteDatabase> {
  let database: SqliteDatabase | null = null;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const bytes = await createPrivately(file);
    database = new Database(file, { timeout: busyTimeoutMs });
    database.exec(
      "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off",
    );
    if (bytes > 0 && bytes <= checkedFileMaxBytes) check(database, file);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof DamagedFile) throw error;
    if (isDamaged(error)) throw damaged(file, error);
    throw new Error(`Cannot open the database file ${file}: ${readMessage(error)}.`, { cause: error });
  }
}

/** Creates the file before SQLite does, so that it is never readable by others; returns its size. */
async function createPrivately(file: string): Promise<number> {
  const handle = await open(file, "a", 0o600);
  try {
    await chmod(file, 0o600);
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

function check(database: SqliteDatabase, file: string): void {
  const first: { quick_check?: string } | undefined = database.prepare("pragma quick_check(1)").get();
  if (first?.quick_check !== "ok") throw damaged(file, new Error(first?.quick_check ?? "no answer"));
}

class DamagedFile extends Error {}

function damaged(file: string, cause: unknown): Error {
  return new DamagedFile(
    `The database file ${file} is damaged (${readMessage(cause)}). Foyer does not start with it: ` +
      "restore it from a backup, or move it to another folder to start empty.",
    { cause },
  );
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
