import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfig } from "../config/config.ts";
import { type Damage, findDamage, repairJournal } from "../engine/memory/journal-repair.ts";
import { openDataFolder } from "../ground/data-folder.ts";
import type { Terminal } from "./terminal.ts";

/** `foyer repair [--yes]`. Without `--yes` it prints what it would do and changes nothing. */
export async function repair(isConfirmed: boolean, argv: readonly string[], terminal: Terminal): Promise<number> {
  const config = loadConfig({ argv });
  const dataDir = resolve(config.dataDir);
  if (!existsSync(dataDir)) {
    terminal.err(`foyer: There is no data folder at ${dataDir}. Give its path with --data-dir.\n`);
    return 1;
  }
  try {
    // Locks the folder, so that no service uses it meanwhile.
    const folder = await openDataFolder(dataDir);
    try {
      return await repairFolder(folder.path, isConfirmed, terminal);
    } finally {
      folder.release();
    }
  } catch (error) {
    terminal.err(`foyer: ${(error as Error).message}\n`);
    return 1;
  }
}

async function repairFolder(dataDir: string, isConfirmed: boolean, terminal: Terminal): Promise<number> {
  const damage = await findDamage(dataDir);
  if (damage.missingCommits === 0) {
    terminal.out(`No acknowledged commit is missing from ${damage.file}. There is nothing to repair.\n`);
    return 0;
  }
  if (!isConfirmed) {
    terminal.out(
      `${inWords(damage)} With --yes, foyer repair copies the damaged files and drops these commits. ` +
        "If you have a backup of the data folder, restore that instead.\n",
    );
    return 1;
  }
  const kept = await repairJournal(damage);
  terminal.out(`${inWords(damage)} They were dropped. A copy of the damaged files is in ${kept}.\n`);
  return 0;
}

function inWords({ file, missingCommits }: Damage): string {
  const commits = missingCommits === 1 ? "1 acknowledged commit" : `${missingCommits} acknowledged commits`;
  return `The log of ${file} is damaged: up to ${commits} cannot be read.`;
}
