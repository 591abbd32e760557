import { createHash } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readChunks } from "../build-chunks.ts";
import { buildPath, readArchiveFile } from "../build-files.ts";
import type { Snapshot, StorePlace } from "./export-snapshot.ts";

/** A build as commands name it. */
export interface NamedBuild {
  readonly buildId: string;
  readonly displayName: string;
  readonly sha256: string;
}

export interface CopiedBuilds {
  readonly count: number;
  /** Their bytes are not there, or not what they were. */
  readonly missing: readonly NamedBuild[];
}

/** The name of an archive in the folder of an export: builds of the same bytes share it. */
export function archiveName(sha256: string): string {
  return `${sha256}.tar.gz`;
}

/** Copies the archives of all builds of the snapshot into the folder, each checked by its SHA-256. */
export async function exportBuilds(snapshot: Snapshot, place: StorePlace, folder: string): Promise<CopiedBuilds> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const builds = await snapshot
    .selectFrom("builds")
    .select(["build_id as buildId", "display_name as displayName", "sha256"])
    .where("game_id", "in", snapshot.selectFrom("games").select("game_id").where("delete_ts", "is", null))
    .orderBy("build_id")
    .execute();
  const missing: NamedBuild[] = [];
  for (const build of builds) {
    const chunks =
      place.databaseUrl === null
        ? readArchiveFile(buildPath(place.dataDir, build.buildId))
        : readChunks(snapshot, build.buildId);
    if (!(await copyChecked(chunks, join(folder, archiveName(build.sha256)), build.sha256))) missing.push(build);
  }
  return { count: builds.length - missing.length, missing };
}

/** Writes a new file that has its name only when it is whole. False: the bytes are missing or others; no file is left. */
export async function copyChecked(chunks: AsyncIterable<Buffer>, file: string, sha256: string): Promise<boolean> {
  const partial = `${file}.partial`;
  const hash = createHash("sha256");
  const handle = await open(partial, "w", 0o600);
  try {
    for await (const chunk of chunks) {
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    if (hash.digest("hex") !== sha256) return false;
    await handle.sync();
    await rename(partial, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  } finally {
    await handle.close();
    await rm(partial, { force: true });
  }
}
