import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { loadSqlite } from "../../ground/sqlite.ts";
import { inspectJournal } from "./journal-inspection.ts";
import { noteFileOf, removeNote } from "./journal-note.ts";
import { createSqliteJournal, journalFileName } from "./sqlite-journal.ts";

/** What is wrong with the journal of a data folder, as far as `repairJournal` can do something about it. */
export interface Damage {
  readonly file: string;
  /** Acknowledged commits that cannot be read, at most so many; 0: nothing is to be repaired. */
  readonly missingCommits: number;
}

/** Changes nothing. The caller holds the data folder. */
export async function findDamage(dataDir: string): Promise<Damage> {
  const file = join(dataDir, journalFileName);
  const { missingCommits } = inspectJournal(await loadSqlite(), file);
  return { file, missingCommits };
}

/**
 * Gives up the commits that cannot be read: the number that tells of them goes, and SQLite folds what it can read of the log
 * into the file. Gives the folder with a copy of what was there before. The caller holds the data folder.
 */
export async function repairJournal({ file }: Damage): Promise<string> {
  const kept = keepCopy(file);
  await removeNote(file);
  const journal = createSqliteJournal({ dataDir: dirname(file) });
  try {
    await journal.load();
  } catch (error) {
    // There is other damage, so the number that tells of this one is still needed.
    copyFileSync(join(kept, basename(noteFileOf(file))), noteFileOf(file));
    throw error;
  } finally {
    await journal.close();
  }
  return kept;
}

function keepCopy(file: string): string {
  const folder = freeFolder(join(dirname(file), "damaged"));
  mkdirSync(folder, { mode: 0o700 });
  for (const source of [file, `${file}-wal`, noteFileOf(file)]) {
    if (!existsSync(source)) continue;
    const copy = join(folder, basename(source));
    copyFileSync(source, copy);
    sync(copy);
  }
  sync(folder);
  return folder;
}

function freeFolder(path: string): string {
  for (let number = 1; ; number++) if (!existsSync(`${path}-${number}`)) return `${path}-${number}`;
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
