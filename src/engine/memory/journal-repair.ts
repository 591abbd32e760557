import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, truncateSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { loadSqlite } from "../../ground/sqlite.ts";
import { inspectJournal } from "./journal-inspection.ts";
import { inspectLog } from "./journal-log.ts";
import { removeNote, toNoteFile } from "./journal-note.ts";
import { createSqliteJournal, journalFileName } from "./sqlite-journal.ts";

/** Damage of a data folder's journal that `repairJournal` can handle. */
export interface Damage {
  readonly file: string;
  /** The maximum number of acknowledged commits that cannot be read; 0: no repair is needed. */
  readonly missingCommits: number;
}

/** Changes nothing. The caller has locked the data folder. */
export async function findDamage(dataDir: string): Promise<Damage> {
  const file = join(dataDir, journalFileName);
  const { missingCommits } = inspectJournal(await loadSqlite(), file);
  return { file, missingCommits };
}

/**
 * Drops the commits that cannot be read: cuts the log where it breaks off, removes the number of the last commit, and SQLite merges the readable part of
 * the log into the file. Returns the folder with a copy of the damaged files. The caller has locked the data folder.
 */
export async function repairJournal({ file }: Damage): Promise<string> {
  const kept = keepCopy(file);
  const log = `${file}-wal`;
  const { isBroken, brokenAt } = inspectLog(log);
  if (isBroken) truncateSync(log, brokenAt);
  await removeNote(file);
  const journal = createSqliteJournal({ dataDir: dirname(file) });
  try {
    await journal.load();
  } catch (error) {
    // There is other damage, so all is still needed.
    for (const target of [log, toNoteFile(file)]) {
      const copy = join(kept, basename(target));
      if (existsSync(copy)) copyFileSync(copy, target);
    }
    throw error;
  } finally {
    await journal.close();
  }
  return kept;
}

function keepCopy(file: string): string {
  const folder = freeFolder(join(dirname(file), "damaged"));
  mkdirSync(folder, { mode: 0o700 });
  for (const source of [file, `${file}-wal`, toNoteFile(file)]) {
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
