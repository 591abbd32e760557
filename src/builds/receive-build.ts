import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Claims, createClaims, DiskFull, type DiskSpace } from "./disk-space.ts";
import { ignoreEntries, readArchive } from "./read-archive.ts";

/** A checked archive in a file of its own, which the caller keeps or removes. */
export interface ReceivedBuild {
  readonly file: string;
  /** Of the bytes as they arrived, in lower-case hex. */
  readonly sha256: string;
  readonly size: number;
  /** The size of the files in it. */
  readonly unpackedSize: number;
  discard(): Promise<void>;
}

export interface ReceiveBuilds {
  /**
   * Writes the archive to a file while it checks it. Throws InvalidBuild, DiskFull, or what `chunks` throws; then nothing
   * is left of it.
   */
  receive(chunks: AsyncIterable<Buffer>, declaredBytes: number | null): Promise<ReceivedBuild>;
}

/** `folder` is for this alone. What a killed service left there is removed. */
export function openReceiveBuilds(folder: string, disk: DiskSpace): ReceiveBuilds {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    async receive(chunks, declaredBytes) {
      const file = join(folder, randomUUID());
      const discard = () => rm(file, { force: true });
      const claims = createClaims(disk);
      if (declaredBytes !== null) await claims.claim(declaredBytes);
      try {
        return { file, discard, ...(await writeAndCheck(file, chunks, claims)) };
      } catch (error) {
        await discard();
        throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? new DiskFull("The disk is full.") : error;
      } finally {
        claims.end();
      }
    },
  };
}

async function writeAndCheck(file: string, chunks: AsyncIterable<Buffer>, claims: Claims) {
  const hash = createHash("sha256");
  let size = 0;

  async function* copied(handle: FileHandle): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      await claims.take(chunk.length);
      hash.update(chunk);
      size += chunk.length;
      await handle.writeFile(chunk);
      yield chunk;
    }
  }

  const handle = await open(file, "wx", 0o600);
  try {
    const unpackedSize = await readArchive(copied(handle), ignoreEntries);
    return { sha256: hash.digest("hex"), size, unpackedSize };
  } finally {
    await handle.close();
  }
}
