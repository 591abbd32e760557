import { existsSync, rmSync, statSync } from "node:fs";
import type { SqliteDatabase, SqliteLibrary } from "../../ground/sqlite.ts";
import { inspectLog } from "./journal-log.ts";
import { type Note, readNote } from "./journal-note.ts";

/** Checks a journal before it is opened, without changing it. */
export interface Inspection {
  /** The maximum number of acknowledged commits that cannot be read; 0: none is known to be missing. */
  readonly missingCommits: number;
  /** The log ends within a commit. */
  readonly isLogBroken: boolean;
}

/**
 * SQLite treats the first wrong checksum in its log as the end of the log and ignores the rest. After a power cut that
 * is right. The note of the last synced commit shows whether it is, or whether bytes were damaged. So do commits behind
 * the one that is cut: each commit is synced before the next is written, so a power cut tears only the last.
 * See docs/decisions/0027.
 */
export function inspectJournal(Database: SqliteLibrary, file: string): Inspection {
  if (!existsSync(file) || statSync(file).size === 0) return { missingCommits: 0, isLogBroken: false };
  const { isBroken, commitsAfterBreak } = inspectLog(`${file}-wal`);
  const found = peek(Database, file);
  const note = readNote(file);
  const isNoteOfThis = note !== null && note.journalId === found?.journalId;
  const unreadable = isNoteOfThis ? note.commit - found.commit : 0;
  return {
    // The commits in a log can be counted; for a missing log only the numbers before and after it are known.
    missingCommits: unreadable > 0 || commitsAfterBreak > 1 ? commitsAfterBreak || unreadable : 0,
    isLogBroken: isBroken,
  };
}

/**
 * Read-only, because a connection that may write merges the log into the file and removes it when it closes, including
 * everything after a damaged frame.
 */
function peek(Database: SqliteLibrary, file: string): Note | null {
  let database: SqliteDatabase | null = null;
  try {
    database = new Database(file, { readOnly: true, timeout: 0 });
    let found: Note | null = null;
    // A prepared statement would keep the file open until garbage collection; exec releases it immediately.
    database.function("take", (journalId: string, commit: number) => {
      found = { journalId, commit };
      return null;
    });
    database.exec("select take(journal_id, number) from commits");
    database.close();
    // The log index that this read created is not used by the next connection, which creates its own.
    rmSync(`${file}-shm`, { force: true });
    return found;
  } catch {
    // Opening the file later reports what is wrong with it.
    closeQuietly(database);
    return null;
  }
}

function closeQuietly(database: SqliteDatabase | null): void {
  try {
    database?.close();
  } catch {
    // It was already closed.
  }
}

export const selectCommit = 'select journal_id as journalId, number as "commit" from commits';
