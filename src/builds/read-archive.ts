import { parseName, parseTarget, quoted } from "./entry-names.ts";
import { createEntryTree, type EntryTree } from "./entry-tree.ts";
import { gunzip } from "./gunzip.ts";
import { InvalidBuild } from "./invalid-build.ts";
import { readTar, type TarEntry } from "./tar-entries.ts";

/** Files, without headers. */
const unpackedMaxBytes = 4 * 1024 * 1024 * 1024;

/** Takes the entries of an archive, one after another, each with a safe path that no earlier entry has. */
export interface ArchiveVisitor {
  folder(path: string): Promise<void>;
  /** What is not read of `content` is skipped. */
  file(path: string, content: AsyncIterable<Buffer>, isExecutable: boolean): Promise<void>;
  link(path: string, target: string): Promise<void>;
  /** `target` is a file that came before. */
  hardLink(path: string, target: string): Promise<void>;
}

/** For an archive that is only checked. */
export const ignoreEntries: ArchiveVisitor = {
  async folder() {},
  async file() {},
  async link() {},
  async hardLink() {},
};

/**
 * Reads a gzipped tar and checks all of it; nothing of it is kept in memory but its names. Throws InvalidBuild for an
 * archive that is damaged, or not safe to unpack. Returns the size of its files.
 */
export async function readArchive(chunks: AsyncIterable<Buffer>, visitor: ArchiveVisitor): Promise<number> {
  const tree = createEntryTree();
  const bytes = gunzip(chunks);
  let unpackedBytes = 0;
  try {
    for await (const entry of readTar(bytes)) {
      unpackedBytes += entry.size;
      if (unpackedBytes > unpackedMaxBytes) throw new InvalidBuild("The files of the archive have more than 4 GiB.");
      await visit(entry, tree, visitor);
    }
    await tree.checkLinks();
    return unpackedBytes;
  } finally {
    await bytes.return(undefined);
  }
}

async function visit(entry: TarEntry, tree: EntryTree, visitor: ArchiveVisitor): Promise<void> {
  const { kind } = entry;
  const parts = parseName(entry.name);
  const path = parts.join("/");
  if (kind === "folder") {
    tree.addFolder(parts);
    if (parts.length > 0) await visitor.folder(path);
  } else if (kind === "file") {
    if (entry.name.at(-1) === slash) throw new InvalidBuild(`The name of the file ${quoted(path)} ends with a slash.`);
    tree.addFile(parts);
    await visitor.file(path, entry.content(), entry.isExecutable);
  } else if (kind === "link") {
    const target = parseTarget(entry.linkName, path);
    tree.addLink(parts, target);
    await visitor.link(path, target);
  } else {
    const target = parseName(entry.linkName);
    tree.addHardLink(parts, target);
    await visitor.hardLink(path, target.join("/"));
  }
}

const slash = 0x2f;
