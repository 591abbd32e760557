import { existsSync, rmSync, statSync } from "node:fs";
import type { SqliteDatabase, SqliteLibrary } from "../../ground/sqlite.ts";
import { inspectLog } from "./journal-log.ts";
import { type Note, readNote } from "./journal-note.ts";

/** What can be said of a journal before it is opened, without changing anything in it. */
export interface Inspection {
  /** Acknowledged commits that cannot be read any more, at most so many; 0: none is known of. */
  readonly missingCommits: number;
  /** The log ends in the middle of what was written. */
  readonly isLogBroken: boolean;
}

/**
 * SQLite takes the first checksum in its log that does not fit for the log's end and forgets what stands behind it. After a
 * power cut that is right. Whether it is, or bytes have changed since, is told by the note of the last synced commit.
 */
export function inspectJournal(Database: SqliteLibrary, file: string): Inspection {
  if (!existsSync(file) || statSync(file).size === 0) return { missingCommits: 0, isLogBroken: false };
  const { isBroken, commitsAfterBreak } = inspectLog(`${file}-wal`);
  const found = peek(Database, file);
  const note = readNote(file);
  const isNoteOfThis = note !== null && note.journalId === found?.journalId;
  const unreadable = isNoteOfThis ? note.commit - found.commit : 0;
  return {
    // Those in the log can be counted; of a log that is gone only the numbers before and after it are known.
    missingCommits: unreadable > 0 ? commitsAfterBreak || unreadable : 0,
    isLogBroken: isBroken,
  };
}

/**
 * Read-only, because the end of a connection that may write folds the log into the file and removes it, and with it what is
 * behind a damaged place.
 */
function peek(Database: SqliteLibrary, file: string): Note | null {
  let database: SqliteDatabase | null = null;
  try {
    database = new Database(file, { readOnly: true, timeout: 0 });
    let found: Note | null = null;
    // A statement that was prepared would keep the file until it is collected; one that is executed is gone at once.
    database.function("take", (journalId: string, commit: number) => {
      found = { journalId, commit };
      return null;
    });
    database.exec("select take(journal_id, number) from commits");
    database.close();
    // The index of the log that reading has made is of no use to the connection that follows, which keeps its own.
    rmSync(`${file}-shm`, { force: true });
    return found;
  } catch {
    // What is wrong with the file is said by opening it.
    closeQuietly(database);
    return null;
  }
}

function closeQuietly(database: SqliteDatabase | null): void {
  try {
    database?.close();
  } catch {
    // It was closed already.
  }
}

export const selectCommit = 'select journal_id as journalId, number as "commit" from commits';
