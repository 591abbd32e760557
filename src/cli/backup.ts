import { statSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfig } from "../config/config.ts";
import { backupFile } from "../store/backup.ts";
import { backupBuilds, backupFolder } from "../store/backup-builds.ts";
import type { CopiedBuilds } from "../store/transfer/export-builds.ts";
import { describeMissing } from "./build-lines.ts";
import type { Terminal } from "./terminal.ts";

/** `foyer backup FILE`. */
export async function backup(file: string, argv: readonly string[], terminal: Terminal): Promise<number> {
  const config = loadConfig({ argv });
  if (config.databaseUrl !== null) {
    terminal.err(
      'foyer: database_url is set, so the rows are in PostgreSQL. Use pg_dump "$FOYER_DATABASE_URL" instead.\n',
    );
    return 1;
  }
  const path = resolve(file);
  let builds: CopiedBuilds;
  try {
    await backupFile(config.dataDir, path);
    builds = await backupBuilds(config.dataDir, path);
  } catch (error) {
    terminal.err(`foyer: ${(error as Error).message}\n`);
    return 1;
  }
  terminal.out(`Copied the database of ${config.dataDir} to ${path} (${statSync(path).size} bytes).\n`);
  if (builds.count > 0) terminal.out(`Copied the archives of ${builds.count} builds to ${backupFolder(path)}.\n`);
  terminal.out(describeMissing(builds, "They are not in the backup."));
  return 0;
}
