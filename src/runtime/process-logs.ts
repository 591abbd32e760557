import { closeSync, mkdirSync, openSync } from "node:fs";
import { type FileHandle, open, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LobbyLog, LogStream } from "./runtime.ts";

/**
 * A lobby's process writes its output straight into files, so that it can go on while the service is down. It holds
 * them open for appending, hence they cannot be replaced: a file that has grown too long is copied beside and emptied,
 * and the next line starts at its beginning. What is written between the two is lost, which is the price of having
 * nobody between the lobby and the disk.
 */
const logStreams = ["stdout", "stderr"] as const;

/** Opens both for appending. The caller closes them once the process has them. */
export function openLogs(folder: string): { readonly descriptors: [number, number]; close(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stdout = openSync(fileOf(folder, "stdout"), "a", 0o600);
  const stderr = openSync(fileOf(folder, "stderr"), "a", 0o600);
  return {
    descriptors: [stdout, stderr],
    close() {
      closeSync(stdout);
      closeSync(stderr);
    },
  };
}

/** Empties every log longer than the maximum, keeping its newest part as the previous one. */
export async function rotateLogs(folder: string, maxBytes: number): Promise<void> {
  for (const stream of logStreams) {
    const file = fileOf(folder, stream);
    const size = await sizeOf(file);
    if (size <= maxBytes) continue;
    await writeFile(previousOf(folder, stream), (await readEnd(file, maxBytes)).bytes, { mode: 0o600 });
    await truncate(file, 0);
  }
}

/** The newest part: of the current log, and of the previous one as far as there is room. */
export async function readLog(folder: string, stream: LogStream, maxBytes: number): Promise<LobbyLog> {
  const current = await readEnd(fileOf(folder, stream), maxBytes);
  const left = maxBytes - current.bytes.length;
  const previous = await readEnd(previousOf(folder, stream), left);
  const bytes = Buffer.concat([previous.bytes, current.bytes]);
  const isTruncated = current.isTruncated || previous.isTruncated;
  return { text: (isTruncated ? fromCharacterStart(bytes) : bytes).toString("utf8"), isTruncated };
}

function fileOf(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.log`);
}

function previousOf(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.previous.log`);
}

async function sizeOf(file: string): Promise<number> {
  return withFile(file, 0, async (handle) => (await handle.stat()).size);
}

function readEnd(file: string, maxBytes: number): Promise<{ bytes: Buffer; isTruncated: boolean }> {
  return withFile(file, { bytes: Buffer.alloc(0), isTruncated: false }, async (handle) => {
    const { size } = await handle.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return { bytes: buffer.subarray(0, bytesRead), isTruncated: size > length };
  });
}

/** What is not there is empty. */
async function withFile<T>(file: string, absent: T, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  let handle: FileHandle;
  try {
    handle = await open(file, "r");
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === "ENOENT") return absent;
    throw fault;
  }
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/** A cut in the middle of a character leaves bytes that continue one; they are left out. */
function fromCharacterStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
