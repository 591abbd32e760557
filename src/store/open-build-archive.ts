import type { BuildArchive } from "./build-archive.ts";
import { openBuildChunks } from "./build-chunks.ts";
import { openBuildFiles } from "./build-files.ts";
import type { Db } from "./db.ts";

/** In the data folder, or with PostgreSQL there, so that every node reads them. */
export function openBuildArchive(db: Db, dataDir: string, wallClock: () => number): BuildArchive {
  return db.engine === "postgresql" ? openBuildChunks(db, wallClock) : openBuildFiles(db, dataDir, wallClock);
}
