import { type FileHandle, open, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, loadConfig } from "../config/config.ts";
import { packageVersion } from "../ground/package-version.ts";
import { exportStore } from "../store/transfer/export.ts";
import { type CopiedBuilds, exportBuilds } from "../store/transfer/export-builds.ts";
import type { Snapshot } from "../store/transfer/export-snapshot.ts";
import { countsInWords, type RowCounts } from "../store/transfer/format.ts";
import { describeMissing } from "./build-lines.ts";
import { explainStartFailure } from "./start-failure.ts";
import type { Terminal } from "./terminal.ts";

/**
 * `foyer export [FILE] [--builds DIR]`: to a new file, or to standard output. The summary then goes to standard error.
 */
export async function exportCommand(
  file: string | null,
  argv: readonly string[],
  terminal: Terminal,
  { now = Date.now, builds = null }: { now?: () => number; builds?: string | null } = {},
): Promise<number> {
  const config = loadConfig({ argv });
  const copied = createCopies(config, builds);
  const options = { foyer: packageVersion(), exportTs: now(), also: copied.copy };
  try {
    if (file === null) {
      const write = async (text: string) => terminal.out(text);
      const counts = await exportStore(config, { ...options, write });
      terminal.err(summary(counts, config, "standard output") + copied.describe(counts));
    } else {
      const path = resolve(file);
      const counts = await intoNewFile(path, (write) => exportStore(config, { ...options, write }));
      terminal.out(summary(counts, config, path) + copied.describe(counts));
    }
    return 0;
  } catch (error) {
    terminal.err(`foyer: ${explainStartFailure(error, config)}\n`);
    return 1;
  }
}

/** Copies the archives of builds into the folder, if one is given. */
function createCopies(config: Config, folder: string | null) {
  let copied: CopiedBuilds | null = null;
  return {
    async copy(snapshot: Snapshot): Promise<void> {
      if (folder !== null) copied = await exportBuilds(snapshot, config, resolve(folder));
    },
    describe(counts: RowCounts): string {
      if (copied === null)
        return counts.builds === 0 ? "" : "The archives of its builds are not in it: add --builds DIR.\n";
      const said = `Copied the archives of ${copied.count} builds to ${resolve(folder!)}.\n`;
      return said + describeMissing(copied, "They are not in the export.");
    },
  };
}

/** Creates a file that only its owner can read. A failure removes it; after a kill, its last line is missing. */
async function intoNewFile<T>(path: string, work: (write: (text: string) => Promise<void>) => Promise<T>): Promise<T> {
  const handle = await createPrivately(path);
  let isWhole = false;
  try {
    const result = await work(async (text) => {
      await handle.writeFile(text);
    });
    await handle.sync();
    isWhole = true;
    return result;
  } finally {
    await handle.close();
    if (!isWhole) await rm(path, { force: true });
  }
}

async function createPrivately(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw error;
    throw new Error(`${path} exists already: an export never overwrites a file, so choose another name.`);
  }
}

function summary(counts: RowCounts, config: Config, target: string): string {
  const secret = config.secret === null ? `the content of ${join(config.dataDir, "secret")}` : "as it is set now";
  const admin = config.adminToken === null ? `that of ${join(config.dataDir, "admin-token")}` : "as it is set now";
  return [
    `Exported ${countsInWords(counts)} to ${target}.`,
    "Live lobbies are not in it: they and their players' seats stay with this installation and end with it.",
    `The secret and the admin token are not in it either. To keep them, give the new installation FOYER_SECRET (${secret}) and FOYER_ADMIN_TOKEN (${admin}).`,
    "It holds hashes of tokens and everything about your games: keep it private.",
    "",
  ].join("\n");
}
