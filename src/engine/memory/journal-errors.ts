/**
 * The journal stored nothing of this: the disk is full or fails, or an earlier change was refused. Retrying later is
 * right.
 */
export class JournalUnavailable extends Error {
  override readonly name: string = "JournalUnavailable";
}

/**
 * The system could not confirm that data reached the disk. The content of the file is unknown and another sync proves
 * nothing, so the only safe reaction is to end the process and to start from the content of the file.
 */
export class JournalSyncFailed extends JournalUnavailable {
  override readonly name = "JournalSyncFailed";
}

/** The file is damaged, foreign, in use, or of a newer Foyer. The message names the file and what to do. */
export class JournalRefused extends Error {
  override readonly name = "JournalRefused";
}

/** An error in a message of the worker: classes are lost between threads. */
export interface JournalFailure {
  readonly kind: "unavailable" | "sync-failed" | "refused";
  readonly message: string;
}

export function toFailure(error: unknown, file: string): JournalFailure {
  if (error instanceof JournalRefused) return { kind: "refused", message: error.message };
  const code = readSqliteCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  const named = `${file}: ${reason}${code === null ? "" : ` (SQLite code ${code})`}`;
  if (code !== null && syncCodes.has(code)) {
    return { kind: "sync-failed", message: `Data could not be synced to the disk: ${named}. Check the disk.` };
  }
  if (code === null ? damageTexts.test(reason) : damageCodes.has(code & 0xff))
    return { kind: "refused", message: damagedMessage(file, reason) };
  return { kind: "unavailable", message: `The journal could not be used: ${named}.` };
}

export function toError(failure: JournalFailure): Error {
  if (failure.kind === "refused") return new JournalRefused(failure.message);
  if (failure.kind === "sync-failed") return new JournalSyncFailed(failure.message);
  return new JournalUnavailable(failure.message);
}

export function damagedMessage(file: string, reason: string): string {
  return (
    `The file ${file} is damaged (${reason}). Foyer does not start with it: restore it from a backup, ` +
    "or move it to another folder to start without its lobbies and players."
  );
}

export function missingCommitsMessage(file: string, missing: number): string {
  const commits = missing === 1 ? "1 commit" : `${missing} commits`;
  return (
    `The log of ${file} is damaged: up to ${commits} that Foyer acknowledged cannot be read. Foyer does not start with it: ` +
    "restore the data folder from a backup, or run `foyer repair`, which shows what would be lost and keeps a copy."
  );
}

/** The extended result code, if the error is from SQLite. */
export function readSqliteCode(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
}

// SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. A full disk is refused when writing, before any sync.
const syncCodes = new Set([1034, 1290]);

// SQLITE_CORRUPT and SQLITE_NOTADB; while rows are read, SQLite's error may come without its code.
const damageCodes = new Set([11, 26]);
const damageTexts = /malformed|not a database/;
