import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildFolder, readArchiveFile } from "../build-files.ts";
import type { Db } from "../db.ts";
import { openBuildArchive } from "../open-build-archive.ts";
import { archiveName, type CopiedBuilds, copyChecked, type NamedBuild } from "./export-builds.ts";

/** Takes the archives of the store's builds from the folder of an export; null: there is no folder. */
export async function importBuilds(
  db: Db,
  { dataDir, folder, wallClock }: { dataDir: string; folder: string | null; wallClock: () => number },
): Promise<CopiedBuilds> {
  const archive = openBuildArchive(db, dataDir, wallClock);
  const builds: readonly NamedBuild[] = await db.query
    .selectFrom("builds")
    .select(["build_id as buildId", "display_name as displayName", "sha256"])
    .orderBy("build_id")
    .execute();
  if (builds.length === 0 || folder === null) return { count: 0, missing: builds };
  const incoming = join(buildFolder(dataDir), "incoming");
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const missing: NamedBuild[] = [];
  for (const build of builds) {
    const copy = join(incoming, randomUUID());
    const source = readArchiveFile(join(folder, archiveName(build.sha256)));
    if (await copyChecked(source, copy, build.sha256)) await archive.put(copy, build.buildId);
    else missing.push(build);
    await rm(copy, { force: true });
  }
  return { count: builds.length - missing.length, missing };
}
