import { type FileHandle, open, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, loadConfig } from "../config/config.ts";
import { packageVersion } from "../ground/package-version.ts";
import { exportStore } from "../store/transfer/export.ts";
import { countsInWords, type RowCounts } from "../store/transfer/format.ts";
import { explainStartFailure } from "./start-failure.ts";
import type { Terminal } from "./terminal.ts";

/** `foyer export [FILE]`: to a new file, or to standard output. The summary then goes to standard error. */
export async function exportCommand(
  file: string | null,
  argv: readonly string[],
  terminal: Terminal,
  now: () => number = Date.now,
): Promise<number> {
  const config = loadConfig({ argv });
  const options = { foyer: packageVersion(), exportTs: now() };
  try {
    if (file === null) {
      const write = async (text: string) => terminal.out(text);
      terminal.err(summary(await exportStore(config, { ...options, write }), config, "standard output"));
    } else {
      const path = resolve(file);
      const counts = await intoNewFile(path, (write) => exportStore(config, { ...options, write }));
      terminal.out(summary(counts, config, path));
    }
    return 0;
  } catch (error) {
    terminal.err(`foyer: ${explainStartFailure(error, config)}\n`);
    return 1;
  }
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
