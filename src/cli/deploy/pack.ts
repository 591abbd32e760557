import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { CommandFailed } from "../remote/exit-codes.ts";
import type { Entry } from "./list-files.ts";
import { padding, tarEnd, tarHeader } from "./tar.ts";

/** A packed folder. */
export interface Archive {
  readonly file: string;
  readonly sha256: string;
  readonly size: number;
  readonly fileCount: number;
}

/** Tokens that may do more than a player. Their last 43 characters are 256 random bits. */
const secretToken = /\b(?:admin|cloud|server)_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/;
const tokenMax = 60;

/** Packs these files as a gzipped tar. The same files give the same bytes, so that an unchanged build is not uploaded again. */
export async function packFiles(
  folder: string,
  entries: readonly Entry[],
  into: string,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(done: number, of: number): void },
): Promise<Archive> {
  if (!entries.some(({ kind }) => kind === "file")) throw new CommandFailed(`There is no file to pack in ${folder}.`);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  const hash = createHash("sha256");
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  let packed = 0;
  const blocks = readBlocks(folder, entries, (bytes) => {
    packed += bytes;
    onProgress(packed, total);
  });
  await pipeline(blocks, createGzip({ level: 6 }), measure, createWriteStream(into, { mode: 0o600 }), { signal });
  const fileCount = entries.filter(({ kind }) => kind === "file").length;
  return { file: into, sha256: hash.digest("hex"), size, fileCount };
}

async function* readBlocks(
  folder: string,
  entries: readonly Entry[],
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    yield tarHeader(entry);
    if (entry.kind !== "file") continue;
    yield* readContent(folder, entry, onBytes);
    yield padding(entry.size);
  }
  yield tarEnd;
}

/** Checked while it is read: a build with a token in it would give the token to everyone who runs the game. */
async function* readContent(
  folder: string,
  { path, size }: Entry,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  let tail = "";
  let read = 0;
  for await (const chunk of createReadStream(join(folder, path)) as AsyncIterable<Buffer>) {
    const text = tail + chunk.toString("latin1");
    if (secretToken.test(text)) {
      throw new CommandFailed(
        `${path} has an admin, cloud or server token in it, which a build must not carry. Remove the token, or list the file in .foyerignore.`,
      );
    }
    tail = text.slice(-tokenMax);
    read += chunk.length;
    onBytes(chunk.length);
    yield chunk;
  }
  if (read !== size) throw new CommandFailed(`${path} changed while it was packed. Try again.`);
}
