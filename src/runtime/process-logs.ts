import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { type FileHandle, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LobbyLog, LogPiece, LogStream } from "./runtime.ts";

/**
 * A lobby's process writes its output straight into files, so that it can go on while the service is down. It holds
 * them open for appending, hence they cannot be replaced: a file that has grown too long is copied beside and emptied,
 * and the next line starts at its beginning. What is written in the moment between the two is lost, which is the price
 * of having nobody between the lobby and the disk.
 */
export interface ProcessLogs {
  /** Opens both for appending. The caller closes them once the process has them. */
  open(lobbyId: string): { readonly descriptors: [number, number]; close(): void };
  /** Empties every log longer than the maximum, keeping its newest part as the previous one. */
  rotate(lobbyId: string, maxBytes: number): Promise<void>;
  /** The newest part: of the current log, and of the previous one as far as there is room. */
  newest(lobbyId: string, stream: LogStream, maxBytes: number): Promise<LobbyLog>;
  piece(lobbyId: string, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece>;
}

const logStreams = ["stdout", "stderr"] as const;

export function createProcessLogs(folderOf: (lobbyId: string) => string): ProcessLogs {
  /** Where a byte is to be found changes while a log starts anew, so nobody reads meanwhile. */
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<T>(lobbyId: string, task: () => Promise<T>): Promise<T> {
    const turn = (turns.get(lobbyId) ?? Promise.resolve()).then(task, task);
    turns.set(lobbyId, turn);
    const forget = () => {
      if (turns.get(lobbyId) === turn) turns.delete(lobbyId);
    };
    turn.then(forget, forget);
    return turn;
  }

  return {
    open(lobbyId) {
      const folder = folderOf(lobbyId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stdout = openSync(currentOf(folder, "stdout"), "a", 0o600);
      const stderr = openSync(currentOf(folder, "stderr"), "a", 0o600);
      return {
        descriptors: [stdout, stderr],
        close() {
          closeSync(stdout);
          closeSync(stderr);
        },
      };
    },
    rotate(lobbyId, maxBytes) {
      return inTurn(lobbyId, async () => {
        for (const stream of logStreams) await rotateOne(folderOf(lobbyId), stream, maxBytes);
      });
    },
    newest(lobbyId, stream, maxBytes) {
      return inTurn(lobbyId, async () => {
        const folder = folderOf(lobbyId);
        const { end } = await keptOf(folder, stream);
        const { start, bytes } = await readPiece(folder, stream, Math.max(0, end - maxBytes), maxBytes);
        const isTruncated = start > 0;
        return { text: (isTruncated ? fromCharacterStart(bytes) : bytes).toString("utf8"), isTruncated };
      });
    },
    piece(lobbyId, stream, from, maxBytes) {
      return inTurn(lobbyId, () => readPiece(folderOf(lobbyId), stream, from, maxBytes));
    },
  };
}

async function rotateOne(folder: string, stream: LogStream, maxBytes: number): Promise<void> {
  const file = currentOf(folder, stream);
  const { currentStart, end } = await keptOf(folder, stream);
  const size = end - currentStart;
  if (size <= maxBytes) return;
  const newest = await readAt(file, size - maxBytes, maxBytes);
  await writeFile(previousOf(folder, stream), newest, { mode: 0o600 });

  // From the last look to the emptying nothing else can run here, so that what is lost is as little as can be.
  const descriptor = openSync(file, "r+");
  try {
    const tail = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - size));
    if (tail.length > 0) {
      readSync(descriptor, tail, 0, tail.length, size);
      writeFileSync(previousOf(folder, stream), Buffer.concat([newest, tail]).subarray(-maxBytes), { mode: 0o600 });
    }
    writeFileSync(startOf(folder, stream), String(end + tail.length), { mode: 0o600 });
    ftruncateSync(descriptor, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** Places in a log are counted from the first byte ever written, whatever became of it. */
interface Kept {
  /** The first byte that is still there. */
  readonly first: number;
  /** Where the current file begins. */
  readonly currentStart: number;
  readonly end: number;
}

async function keptOf(folder: string, stream: LogStream): Promise<Kept> {
  const previousSize = await sizeOf(previousOf(folder, stream));
  const noted = Number(await readFile(startOf(folder, stream), "utf8").catch(() => ""));
  const currentStart = Math.max(previousSize, Number.isSafeInteger(noted) ? noted : 0);
  const end = currentStart + (await sizeOf(currentOf(folder, stream)));
  return { first: currentStart - previousSize, currentStart, end };
}

async function readPiece(folder: string, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece> {
  const { first, currentStart, end } = await keptOf(folder, stream);
  const start = Math.min(Math.max(from, first), end);
  const length = Math.min(maxBytes, end - start);
  const ofPrevious = Math.min(length, Math.max(0, currentStart - start));
  const previous = await readAt(previousOf(folder, stream), start - first, ofPrevious);
  const offset = Math.max(0, start - currentStart);
  const current = await readAt(currentOf(folder, stream), offset, length - ofPrevious);
  return { first, start, end, bytes: Buffer.concat([previous, current]) };
}

function currentOf(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.log`);
}

function previousOf(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.previous.log`);
}

/** How many bytes were written before the current file began. There is none before the first time. */
function startOf(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.start`);
}

function sizeOf(file: string): Promise<number> {
  return withFile(file, 0, async (handle) => (await handle.stat()).size);
}

function readAt(file: string, offset: number, length: number): Promise<Buffer> {
  if (length <= 0) return Promise.resolve(Buffer.alloc(0));
  return withFile(file, Buffer.alloc(0), async (handle) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
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
