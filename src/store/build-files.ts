import { createReadStream } from "node:fs";
import { chmod, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BuildArchive } from "./build-archive.ts";
import { listBuildIds } from "./builds.ts";
import type { Db } from "./db.ts";

/** One file per build in the data folder. */
export function openBuildFiles(db: Db, dataDir: string, wallClock: () => number): BuildArchive {
  const folder = buildFolder(dataDir);
  const pathFor = (buildId: string) => buildPath(dataDir, buildId);

  return {
    async put(file, buildId) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(file, 0o600);
      await sync(file);
      await rename(file, pathFor(buildId));
      await sync(folder);
    },
    has: (buildId) => isThere(pathFor(buildId)),
    read: async (buildId) => ((await isThere(pathFor(buildId))) ? readArchiveFile(pathFor(buildId)) : null),
    remove: (buildId) => rm(pathFor(buildId), { force: true }),
    async removeUnknown(minAgeMs) {
      // The folder first: what is put there later is not looked at.
      const names = (await listNames(folder)).filter((name) => name.endsWith(ending));
      const known = await listBuildIds(db);
      for (const name of names) {
        if (known.has(name.slice(0, -ending.length))) continue;
        const { mtimeMs } = await stat(join(folder, name));
        if (wallClock() - mtimeMs >= minAgeMs) await rm(join(folder, name), { force: true });
      }
    },
  };
}

export function buildFolder(dataDir: string): string {
  return join(dataDir, "builds");
}

export function buildPath(dataDir: string, buildId: string): string {
  return join(buildFolder(dataDir), `${buildId}${ending}`);
}

const ending = ".tar.gz";
const pieceBytes = 256 * 1024;

/** Opens the file when its first bytes are asked for: an error that nothing waits for would end the process. */
export async function* readArchiveFile(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: pieceBytes });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
