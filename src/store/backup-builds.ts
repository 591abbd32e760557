import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { loadSqlite } from "../ground/sqlite.ts";
import { buildPath, readArchiveFile } from "./build-files.ts";
import { type CopiedBuilds, copyChecked, type NamedBuild } from "./transfer/export-builds.ts";

/** Where the archives of a backup are. */
export function backupFolder(file: string): string {
  return `${file}.builds`;
}

/**
 * Copies the archives of the builds that a backup has to the folder beside it, under the names that the data folder has.
 * If that fails, neither is left.
 */
export async function backupBuilds(dataDir: string, file: string): Promise<CopiedBuilds> {
  const folder = backupFolder(file);
  let isOurs = false;
  try {
    const builds = await listBuilds(file);
    const missing: NamedBuild[] = [];
    if (builds.length > 0) await mkdir(folder, { mode: 0o700 });
    isOurs = true;
    for (const build of builds) {
      const path = buildPath(dataDir, build.buildId);
      const isCopied = await copyChecked(readArchiveFile(path), join(folder, basename(path)), build.sha256);
      if (!isCopied) missing.push(build);
    }
    return { count: builds.length - missing.length, missing };
  } catch (error) {
    await rm(file, { force: true });
    if (isOurs) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function listBuilds(file: string): Promise<NamedBuild[]> {
  const Database = await loadSqlite();
  const database = new Database(file, { readOnly: true });
  try {
    // A store that an earlier Foyer wrote, and that this one has not opened yet, has no such table.
    const table = database.prepare("select 1 from sqlite_master where name = 'builds'").all();
    if (table.length === 0) return [];
    const rows = database.prepare("select build_id, display_name, sha256 from builds order by build_id").all();
    return rows.map((row) => {
      const { build_id, display_name, sha256 } = row as Record<string, string>;
      return { buildId: String(build_id), displayName: String(display_name), sha256: String(sha256) };
    });
  } finally {
    database.close();
  }
}
