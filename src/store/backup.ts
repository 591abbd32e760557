import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, copyFile, link, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadSqlite, type SqliteDatabase } from "../ground/sqlite.ts";

export const sqliteFileName = "foyer.db";

/** Copies the SQLite store of a data folder into a new file, also while the service runs in another process. */
export async function backupFile(dataDir: string, file: string): Promise<void> {
  const source = join(dataDir, sqliteFileName);
  if (!(await exists(source))) throw new Error(`There is no database at ${source}: is this the data folder?`);
  const Database = await loadSqlite();
  const database = new Database(source, { readOnly: true, timeout: busyTimeoutMs });
  try {
    await copyDatabase(database, file);
  } finally {
    database.close();
  }
}

/** Writes a consistent copy to a new file that only its owner may read. A failure leaves no file. */
export async function copyDatabase(database: SqliteDatabase, file: string): Promise<void> {
  if (await exists(file)) throw alreadyThere(file);

  // The copy gets its name only when it is complete and synced to disk.
  const partial = `${file}.${randomBytes(6).toString("hex")}.partial`;
  try {
    await (await open(partial, "wx", 0o600)).close();
    database.prepare("vacuum into ?").run(partial);
    await removeSessions(partial);
    await sync(partial);
    await giveName(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
  await sync(dirname(file));
}

/** No backup lets anyone in. Overwritten, not only marked as free. An earlier Foyer had no such tables. */
async function removeSessions(file: string): Promise<void> {
  const database = new (await loadSqlite())(file);
  try {
    database.exec("pragma secure_delete = on");
    const tables = database
      .prepare("select name from sqlite_master where type = 'table' and name in ('sessions', 'sign_in_codes')")
      .all();
    for (const { name } of tables as { name: string }[]) database.exec(`delete from ${name}`);
  } finally {
    database.close();
  }
}

export const busyTimeoutMs = 5_000;

async function giveName(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
  } catch (error) {
    if (readCode(error) === "EEXIST") throw alreadyThere(file);
    // Some file systems have no hard links.
    await copyFile(partial, file, constants.COPYFILE_EXCL);
    await sync(file);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (readCode(error) === "ENOENT") return false;
    throw error;
  }
}

function alreadyThere(file: string): Error {
  return new Error(`${file} exists already: a backup never overwrites a file, so choose another name.`);
}

function readCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
