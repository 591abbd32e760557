import { readFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";

/** Which commit of which journal was the last one that is known to have been synced. It stands in a file beside the journal. */
export interface Note {
  readonly journalId: string;
  readonly commit: number;
}

export const noteFileOf = (file: string): string => `${file}-synced`;

/** Null: there is none, or nothing can be made of it. */
export function readNote(file: string): Note | null {
  let text: string;
  try {
    text = readFileSync(noteFileOf(file), "utf8");
  } catch {
    return null;
  }
  const parts = /^([0-9a-f]{32}) (\d{1,15})\n$/.exec(text);
  return parts && { journalId: parts[1]!, commit: Number(parts[2]) };
}

/** Whole or not at all, and on the disk when it resolves. */
async function writeNote(file: string, { journalId, commit }: Note): Promise<void> {
  const draft = `${noteFileOf(file)}.new`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(`${journalId} ${commit}\n`);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(draft, noteFileOf(file));
}

export async function removeNote(file: string): Promise<void> {
  await rm(noteFileOf(file), { force: true });
}

export interface Noting {
  /** Whether the commit that is being made should carry its number: about once a second. */
  isDue(): boolean;
  /** A commit with its number in it has been synced. */
  synced(commit: number): void;
}

const noteEveryMs = 1_000;

/**
 * Writes notes beside the commits, never in their way: about one a second, by other threads of the system. `due` is called when
 * it is time for another one, so that the last commits before a pause are noted too.
 */
export function createNoting(
  file: string,
  journalId: string,
  on: { due(): void; fault(reason: string): void },
): Noting {
  let isDue = true;
  let isFailing = false;

  async function write(commit: number): Promise<void> {
    try {
      await writeNote(file, { journalId, commit });
      isFailing = false;
    } catch (error) {
      if (!isFailing) on.fault(error instanceof Error ? error.message : String(error));
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
