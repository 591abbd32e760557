import { chmod, link, mkdir, open, readdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ArchiveVisitor, readArchive } from "./read-archive.ts";

/** Folders are closed to writing at the end, when nothing is added to them. */
const openFolderMode = 0o755;
const closedFolderMode = 0o555;

/**
 * Unpacks an archive into a new folder: files 0444 or, if they are executable, 0555; owners, times and other modes are
 * dropped. `claim` is asked before bytes are written. Throws InvalidBuild, or an error of the disk; the caller removes what is there then.
 */
export async function unpackArchive(
  chunks: AsyncIterable<Buffer>,
  folder: string,
  claim: (bytes: number) => Promise<void>,
): Promise<void> {
  const made = new Set([folder]);
  await mkdir(folder, { mode: openFolderMode });
  await chmod(folder, openFolderMode);

  async function makeFolder(path: string): Promise<void> {
    if (made.has(path)) return;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: openFolderMode });
    made.add(path);
  }

  /** Where an entry goes, whose folder is then there. */
  async function place(path: string): Promise<string> {
    const whole = join(folder, path);
    await makeFolder(dirname(whole));
    return whole;
  }

  const visitor: ArchiveVisitor = {
    folder: (path) => makeFolder(join(folder, path)),
    async file(path, content, isExecutable) {
      // Never an existing file, nor one behind a link: no entry has this path already.
      const handle = await open(await place(path), "wx", 0o600);
      try {
        for await (const piece of content) {
          await claim(piece.length);
          await handle.writeFile(piece);
        }
        await handle.chmod(isExecutable ? 0o555 : 0o444);
      } finally {
        await handle.close();
      }
    },
    link: async (path, target) => symlink(target, await place(path)),
    hardLink: async (path, target) => link(join(folder, target), await place(path)),
  };
  await readArchive(chunks, visitor);
  // The inner ones first: nothing can be changed below a closed one by another user than root.
  for (const path of [...made].reverse()) await chmod(path, closedFolderMode);
}

/** Removes a folder whose folders are closed to writing. */
export async function removeUnpacked(folder: string): Promise<void> {
  await openFolders(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function openFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  await chmod(folder, 0o700).catch(() => undefined);
  for (const entry of entries) if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}
