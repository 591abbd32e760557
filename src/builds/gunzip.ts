import { createGunzip, type Gunzip } from "node:zlib";
import { cutOff } from "./byte-reader.ts";
import { InvalidBuild } from "./invalid-build.ts";
import { isZero } from "./tar-header.ts";

/**
 * Decompresses as the reader asks for more. Several gzip members one after another are one stream, as for gzip itself.
 * After the last member only zero bytes may follow. Every byte of `chunks` is taken, also what follows the last member.
 */
export async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const engine = createGunzip({ chunkSize: outputBytes });
  let isReading = true;
  let failure: unknown = null;
  const feeding = feed(engine, chunks, () => isReading).catch((error: unknown) => {
    failure = error;
    engine.destroy();
  });
  try {
    for await (const piece of engine) yield piece as Buffer;
    await feeding;
  } catch (error) {
    failure ??= error;
  } finally {
    // What feeds it may still wait for a chunk, and stops when that has come.
    isReading = false;
    engine.destroy();
  }
  if (failure !== null) throw toInvalid(failure);
}

const outputBytes = 64 * 1024;

async function feed(engine: Gunzip, chunks: AsyncIterable<Buffer>, isReading: () => boolean): Promise<void> {
  let taken = 0;
  let hasEnded = false;
  for await (const chunk of chunks) {
    if (!isReading()) return;
    if (!hasEnded) await write(engine, chunk);
    if (!isReading() || engine.errored) return;
    taken += chunk.length;
    // What the engine leaves comes after the last member.
    const left = Math.min(taken - engine.bytesWritten, chunk.length);
    if (left > 0) hasEnded = true;
    if (hasEnded && !isZero(chunk.subarray(chunk.length - left))) {
      throw new InvalidBuild("The archive is followed by other bytes. Send the gzipped tar and nothing else.");
    }
  }
  if (!hasEnded && !engine.destroyed) engine.end();
}

/** Resolves when the engine has taken the chunk, or has ended. */
function write(engine: Gunzip, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      engine.off("end", settle);
      engine.off("close", settle);
      resolve();
    };
    engine.once("end", settle);
    engine.once("close", settle);
    engine.write(chunk, settle);
  });
}

function toInvalid(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "Z_BUF_ERROR") return cutOff();
  if (!code.startsWith("Z_")) return error;
  return new InvalidBuild("The archive is not valid gzip. Make it with tar -czf.");
}
