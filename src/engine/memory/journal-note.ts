import { readFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";

/** The last commit of a journal that is known to be synced. Stored in a file next to the journal. */
export interface Note {
  readonly journalId: string;
  readonly commit: number;
}

export const toNoteFile = (file: string): string => `${file}-synced`;

/** Null: the note does not exist or cannot be parsed. */
export function readNote(file: string): Note | null {
  let text: string;
  try {
    text = readFileSync(toNoteFile(file), "utf8");
  } catch {
    return null;
  }
  const parts = /^([0-9a-f]{32}) (\d{1,15})\n$/.exec(text);
  return parts && { journalId: parts[1]!, commit: Number(parts[2]) };
}

/** Writes all or nothing, and resolves when it is synced to disk. */
async function writeNote(file: string, { journalId, commit }: Note): Promise<void> {
  const draft = `${toNoteFile(file)}.new`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(`${journalId} ${commit}\n`);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(draft, toNoteFile(file));
}

export async function removeNote(file: string): Promise<void> {
  await rm(toNoteFile(file), { force: true });
}

export interface Noting {
  /** Whether the current commit should contain its number: about once a second. */
  isDue(): boolean;
  /** A commit with its number in it has been synced. */
  synced(commit: number): void;
}

const noteEveryMs = 1_000;

/**
 * Writes notes without delaying commits: about one a second, in other threads of the system. Calls `due` when the next
 * one is due, so that the last commits before a pause are noted too.
 */
export function createNoting(
  file: string,
  journalId: string,
  on: { due(): void; failed(reason: string): void },
): Noting {
  let isDue = true;
  let isFailing = false;

  async function write(commit: number): Promise<void> {
    try {
      await writeNote(file, { journalId, commit });
      isFailing = false;
    } catch (error) {
      if (!isFailing) on.failed(error instanceof Error ? error.message : String(error));
      isFailing = true;
    }
    setTimeout(() => {
      isDue = true;
      on.due();
    }, noteEveryMs).unref();
  }

  return {
    isDue: () => isDue,
    synced(commit) {
      isDue = false;
      void write(commit);
    },
  };
}
