import { createHash, createHmac, randomBytes } from "node:crypto";
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadSqlite, type SqliteDatabase } from "./sqlite.ts";

/** A folder that only this process uses, until it releases the folder or ends. */
export interface DataFolder {
  readonly path: string;
  release(): void;
}

/** `path`: the file that holds it, or null when the configuration gave it. */
export interface AdminToken {
  readonly token: string;
  readonly path: string | null;
}

/** The data folder cannot be used; the message says which file and what to do. */
export class DataFolderError extends Error {
  override readonly name = "DataFolderError";
}

/** Creates the folder if it does not exist and locks it against other processes. */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataFolderError(
      `The data folder ${path} cannot be created (${readCode(error)}). Choose another one with data_dir.`,
    );
  }
  const lock = await takeLock(path);
  return { path, release: () => lock.close() };
}

/**
 * The key that derived tokens are signed with: from the configuration, else from the folder, where the first start
 * creates it.
 */
export function ensureSecret(folder: { readonly path: string }, configured: string | null): Buffer {
  if (configured !== null) return secretFromText(configured);
  const file = join(folder.path, "secret");
  const kept = readPrivateFile(file);
  if (kept === null) {
    const made = randomBytes(32);
    writePrivateFile(folder.path, file, `${made.toString("hex")}\n`);
    return made;
  }
  if (!/^[0-9a-f]{64}$/.test(kept.trimEnd())) {
    throw new DataFolderError(
      `The secret in ${file} is damaged. Restore the file from a backup, or delete it: the next start creates a new one, and running lobbies and players lose their tokens.`,
    );
  }
  return Buffer.from(kept.trimEnd(), "hex");
}

/**
 * A secret given as text may have any length and alphabet; its SHA-256 is a key of the right size. The text of the file
 * `secret` gives the same key as the file itself, so that a generated secret can become the previous one.
 */
export function secretFromText(text: string): Buffer {
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, "hex");
  return createHash("sha256").update(text, "utf8").digest();
}

/** The secret of a service on this machine, for another process of it; null: there is none yet. */
export function readSecret(dataDir: string, configured: string | null): Buffer | null {
  if (configured === null && readPrivateFile(join(dataDir, "secret")) === null) return null;
  return ensureSecret({ path: dataDir }, configured);
}

/** The name of a node: from the configuration, else from the folder, where the first start creates it. */
export function ensureNodeId(folder: { readonly path: string }, configured: string | null): string {
  if (configured !== null) return configured;
  const file = join(folder.path, "node-id");
  const kept = readPrivateFile(file)?.trimEnd();
  if (kept !== undefined && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(kept)) return kept;
  const made = `node-${randomBytes(6).toString("hex")}`;
  writePrivateFile(folder.path, file, `${made}\n`);
  return made;
}

/**
 * Nodes that share a secret share the admin token that is derived from it, so that each of them accepts it. Each node
 * writes it to its folder, where an operator may look for it.
 */
export function sharedAdminToken(
  folder: { readonly path: string },
  configured: string | null,
  secret: Buffer,
): AdminToken {
  if (configured !== null) return { token: configured, path: null };
  const path = join(folder.path, "admin-token");
  const token = `admin_${createHmac("sha256", secret).update("admin token").digest("base64url")}`;
  if (readPrivateFile(path)?.trimEnd() !== token) writePrivateFile(folder.path, path, `${token}\n`);
  return { token, path };
}

/**
 * The admin token: from the configuration (then it is in no file), else from the folder, where the first start creates
 * it.
 */
export function ensureAdminToken(folder: { readonly path: string }, configured: string | null): AdminToken {
  if (configured !== null) return { token: configured, path: null };
  const path = join(folder.path, "admin-token");
  const kept = readPrivateFile(path);
  if (kept === null) {
    const token = `admin_${randomBytes(32).toString("base64url")}`;
    writePrivateFile(folder.path, path, `${token}\n`);
    return { token, path };
  }
  if (!/^admin_[A-Za-z0-9_-]{43}$/.test(kept.trimEnd())) {
    throw new DataFolderError(
      `The admin token in ${path} is damaged. Delete the file, and the next start creates a new token; or set FOYER_ADMIN_TOKEN.`,
    );
  }
  return { token: kept.trimEnd(), path };
}

/**
 * An exclusive transaction on a SQLite file that is used for nothing else. The operating system drops the lock when
 * the process ends, however it ends, so there is no stale lock file to clean up.
 */
async function takeLock(path: string): Promise<SqliteDatabase> {
  const Database = await loadSqlite();
  const file = join(path, "lock.db");
  let lock: SqliteDatabase | undefined;
  try {
    createPrivately(file);
    lock = new Database(file);
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    const reason = error instanceof Error ? error.message : String(error);
    if (/locked|busy/i.test(reason)) {
      throw new DataFolderError(
        `The data folder ${path} is in use by another Foyer process. Stop that process first, or choose another folder with data_dir.`,
      );
    }
    throw new DataFolderError(`The data folder ${path} cannot be locked: ${file}: ${reason}.`);
  }
}

/**
 * Called before SQLite opens the file: the journal that SQLite creates next to it gets the same permissions. An
 * existing file is not opened, because closing it would release a lock that this process holds on it.
 */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (readCode(error) !== "EEXIST") throw error;
    for (const kept of [file, `${file}-journal`]) closeToOthers(kept);
  }
}

/** The process that holds the lock may release it now, which also removes the journal. */
function closeToOthers(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if (readCode(error) !== "ENOENT") throw error;
  }
}

/**
 * The content, or null when there is no such file. If others can read it, for example after a restore, their permission
 * is removed.
 */
export function readPrivateFile(file: string): string | null {
  try {
    const content = readFileSync(file, "utf8");
    chmodSync(file, 0o600);
    return content;
  } catch (error) {
    if (readCode(error) === "ENOENT") return null;
    throw new DataFolderError(
      `${file} cannot be read and kept private (${readCode(error)}). It must belong to the user that runs Foyer.`,
    );
  }
}

/**
 * Writes a temporary file and renames it, so that a crash leaves the whole file or none. The lock excludes other
 * writers.
 */
export function writePrivateFile(folder: string, file: string, content: string): void {
  const draft = `${file}.new`;
  try {
    const descriptor = openSync(draft, "w", 0o600);
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
    syncFolder(folder);
  } catch (error) {
    throw new DataFolderError(`${file} cannot be written (${readCode(error)}).`);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
