/** The journal took nothing of this: the disk is full, the disk refuses, or something before it was refused. Trying later is right. */
export class JournalUnavailable extends Error {
  override readonly name: string = "JournalUnavailable";
}

/**
 * The system could not say that written data reached the disk. What the file holds now is unknown and asking again
 * proves nothing, so the only safe thing is to end the process and to start from what the file turns out to be.
 */
export class JournalSyncFailed extends JournalUnavailable {
  override readonly name = "JournalSyncFailed";
}

/** The file is damaged, foreign, in use, or of a newer Foyer. The message names it and the way out. */
export class JournalRefused extends Error {
  override readonly name = "JournalRefused";
}

/** An error as it travels from the worker: classes do not survive the way between threads. */
export interface JournalFailure {
  readonly kind: "unavailable" | "sync-failed" | "refused";
  readonly message: string;
}

export function failureOf(error: unknown, file: string): JournalFailure {
  if (error instanceof JournalRefused) return { kind: "refused", message: error.message };
  const code = sqliteCodeOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  const named = `${file}: ${reason}${code === null ? "" : ` (SQLite code ${code})`}`;
  if (code !== null && syncCodes.has(code)) {
    return { kind: "sync-failed", message: `Data could not be synced to the disk: ${named}. Check the disk.` };
  }
  if (code === null ? damageTexts.test(reason) : damageCodes.has(code & 0xff))
    return { kind: "refused", message: damagedMessage(file, reason) };
  return { kind: "unavailable", message: `The journal could not be used: ${named}.` };
}

export function errorOf(failure: JournalFailure): Error {
  if (failure.kind === "refused") return new JournalRefused(failure.message);
  if (failure.kind === "sync-failed") return new JournalSyncFailed(failure.message);
  return new JournalUnavailable(failure.message);
}

export function damagedMessage(file: string, reason: string): string {
  return (
    `The file ${file} is damaged (${reason}). Foyer does not start on it: restore it from a backup, ` +
    "or move it away to start without the lobbies and players that it holds."
  );
}

export function missingCommitsMessage(file: string, missing: number): string {
  const commits = missing === 1 ? "1 commit" : `${missing} commits`;
  return (
    `The log of ${file} is damaged: up to ${commits} that Foyer acknowledged cannot be read. Foyer does not start on it: ` +
    "restore the data folder from a backup, or run `foyer repair`, which says what would be lost and keeps a copy."
  );
}

/** The extended result code, where the error is SQLite's. */
export function sqliteCodeOf(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
}

// SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. A full disk is refused when writing, before any sync.
const syncCodes = new Set([1034, 1290]);

// SQLITE_CORRUPT and SQLITE_NOTADB; while rows are read, SQLite's error may come without its code.
const damageCodes = new Set([11, 26]);
const damageTexts = /malformed|not a database/;
