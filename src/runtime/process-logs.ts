import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { appendFile, type FileHandle, open, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GuardedLogs } from "./log-guard.ts";
import { isSeparator } from "./log-text.ts";
import type { LogPiece, LogStream } from "./runtime.ts";

/**
 * A lobby's process writes its output directly into files, so that it can continue while the service is down. It keeps
 * them open for appending, so they cannot be replaced: a file that has grown too long is copied and emptied, and the
 * next line starts at its beginning. Output between the last read and the truncation, two system calls in a row, is
 * lost. That is the price for having no other process between the lobby and the disk.
 */
export interface ProcessLogs {
  /** Opens both for appending. The caller closes them once the process has them. */
  open(lobbyId: string): { readonly descriptors: [number, number]; close(): void };
  guarded(lobbyId: string, pid: number): GuardedLogs;
  /** For output that comes from elsewhere, such as a container engine. Empties the log when it is too long. */
  append(lobbyId: string, stream: LogStream, bytes: Buffer): Promise<void>;
  /** Empties every log longer than the maximum, keeping its newest part as the previous one. */
  rotate(lobbyId: string): Promise<void>;
  /** Leaves only the newest part of the logs of a lobby that has ended. */
  shorten(lobbyId: string, keptBytes: number): Promise<void>;
  piece(lobbyId: string, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece>;
}

const logStreams = ["stdout", "stderr"] as const;

/** `maxBytes`: of one file; each stream has two. */
export function createProcessLogs(folderPath: (lobbyId: string) => string, maxBytes: number): ProcessLogs {
  /** The position of a byte changes while a log is rotated, so each lobby's tasks run one after the other. */
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
      const folder = folderPath(lobbyId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stdout = openSync(currentPath(folder, "stdout"), "a", 0o600);
      const stderr = openSync(currentPath(folder, "stderr"), "a", 0o600);
      return {
        descriptors: [stdout, stderr],
        close() {
          closeSync(stdout);
          closeSync(stderr);
        },
      };
    },
    guarded(lobbyId, pid) {
      const folder = folderPath(lobbyId);
      return { lobbyId, pid, folder, files: logStreams.map((stream) => currentPath(folder, stream)) };
    },
    append(lobbyId, stream, bytes) {
      return inTurn(lobbyId, async () => {
        await appendFile(currentPath(folderPath(lobbyId), stream), bytes, { mode: 0o600 });
        await rotateOne(folderPath(lobbyId), stream, maxBytes);
      });
    },
    rotate(lobbyId) {
      return inTurn(lobbyId, async () => {
        for (const stream of logStreams) await rotateOne(folderPath(lobbyId), stream, maxBytes);
      });
    },
    shorten(lobbyId, keptBytes) {
      return inTurn(lobbyId, async () => {
        for (const stream of logStreams) await shortenOne(folderPath(lobbyId), stream, keptBytes);
      });
    },
    piece(lobbyId, stream, from, length) {
      return inTurn(lobbyId, () => readPiece(folderPath(lobbyId), stream, from, length));
    },
  };
}

async function rotateOne(folder: string, stream: LogStream, maxBytes: number): Promise<void> {
  const { currentStart, end } = await readKept(folder, stream);
  const size = end - currentStart;
  if (size <= maxBytes) return;
  const [previous, draft] = [previousPath(folder, stream), draftPath(folder, stream)];
  // Never three files: all that is kept is in the current one.
  await rm(previous, { force: true });
  await using(currentPath(folder, stream), "r+", async (from) => {
    try {
      await using(draft, "w", async (to) => {
        const start = await writeNotice(from, to, size - maxBytes, currentStart);
        const copied = await copyMost(from, to, start, 2 * maxBytes);

        // From here on the code is synchronous, so that as little output as possible is lost.
        const next = copied + copyRest(from.fd, to.fd, copied);
        noteStart(folder, stream, currentStart + next);
        renameSync(draft, previous);
        let rest = 0;
        try {
          rest = copyRest(from.fd, to.fd, next);
        } finally {
          ftruncateSync(from.fd, 0);
        }
        if (rest > 0) noteStart(folder, stream, currentStart + next + rest);
      });
    } catch (error) {
      // The disk may be full of this log.
      await rm(draft, { force: true });
      ftruncateSync(from.fd, 0);
      noteStart(folder, stream, end);
      throw error;
    }
  });
}

const stepBytes = 64 * 1024;

const noticeBytesMax = 100;

/**
 * Writes how much output is no longer kept, instead of the oldest of that output. Returns where the rest begins:
 * at a new line, or after a separator, so that no secret loses its beginning. The blank before the notice is one too.
 */
async function writeNotice(from: FileHandle, to: FileHandle, cut: number, currentStart: number): Promise<number> {
  const { buffer, bytesRead } = await from.read(Buffer.alloc(stepBytes), 0, stepBytes, cut);
  const step = buffer.subarray(0, bytesRead);
  const line = step.indexOf(10, noticeBytesMax);
  const separator = step.findIndex((byte, index) => index >= noticeBytesMax && isSeparator(byte));
  const start = cut + (line >= 0 ? line + 1 : separator >= 0 ? separator + 1 : bytesRead);
  await to.appendFile(` Foyer dropped ${currentStart + start} bytes of output: a log keeps its newest part.\n`);
  return start;
}

/** Copies asynchronously until little is left or `maxBytes` are copied. Returns the position that it reached. */
async function copyMost(from: FileHandle, to: FileHandle, start: number, maxBytes: number): Promise<number> {
  const step = Buffer.alloc(stepBytes);
  let place = start;
  while (place - start < maxBytes) {
    const { bytesRead } = await from.read(step, 0, stepBytes, place);
    await to.appendFile(step.subarray(0, bytesRead));
    place += bytesRead;
    if (bytesRead < stepBytes) break;
  }
  return place;
}

/** A process that writes faster than this copies must not block the service. */
const restStepsMax = 64;

/** Copies the rest synchronously and returns its length. */
function copyRest(from: number, to: number, place: number): number {
  const step = Buffer.alloc(stepBytes);
  let copied = 0;
  for (let steps = 0; steps < restStepsMax; steps++) {
    const bytesRead = readSync(from, step, 0, stepBytes, place + copied);
    if (bytesRead === 0) break;
    appendFileSync(to, step.subarray(0, bytesRead));
    copied += bytesRead;
  }
  return copied;
}

async function shortenOne(folder: string, stream: LogStream, maxBytes: number): Promise<void> {
  const { first, end } = await readKept(folder, stream);
  if (end - first <= maxBytes) return;
  const { bytes } = await readPiece(folder, stream, end - maxBytes, maxBytes);
  await writeFile(draftPath(folder, stream), bytes, { mode: 0o600 });
  noteStart(folder, stream, end);
  await rename(draftPath(folder, stream), previousPath(folder, stream));
  await truncate(currentPath(folder, stream));
}

/** Positions in a log are counted from the first byte ever written, even if it is no longer kept. */
interface Kept {
  /** The position of the first byte that is still kept. */
  readonly first: number;
  /** Where the current file begins. */
  readonly currentStart: number;
  readonly end: number;
}

async function readKept(folder: string, stream: LogStream): Promise<Kept> {
  const previousSize = await readSize(previousPath(folder, stream));
  const noted = Number(await readFile(startPath(folder, stream), "utf8").catch(() => ""));
  const currentStart = Math.max(previousSize, Number.isSafeInteger(noted) ? noted : 0);
  const end = currentStart + (await readSize(currentPath(folder, stream)));
  return { first: currentStart - previousSize, currentStart, end };
}

async function readPiece(folder: string, stream: LogStream, from: number, maxBytes: number): Promise<LogPiece> {
  const { first, currentStart, end } = await readKept(folder, stream);
  const start = Math.min(Math.max(from, first), end);
  const length = Math.min(maxBytes, end - start);
  const ofPrevious = Math.min(length, Math.max(0, currentStart - start));
  const previous = await readAt(previousPath(folder, stream), start - first, ofPrevious);
  const offset = Math.max(0, start - currentStart);
  const current = await readAt(currentPath(folder, stream), offset, length - ofPrevious);
  return { first, start, end, bytes: Buffer.concat([previous, current]) };
}

function currentPath(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.log`);
}

function previousPath(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.previous.log`);
}

/** The previous log while it is being written, so that there is always a complete one. */
function draftPath(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.previous.new`);
}

/** How many bytes were written before the current file began. Absent before the first rotation. */
function startPath(folder: string, stream: LogStream): string {
  return join(folder, `${stream}.start`);
}

function noteStart(folder: string, stream: LogStream, start: number): void {
  writeFileSync(startPath(folder, stream), String(start), { mode: 0o600 });
}

function readSize(file: string): Promise<number> {
  return withFile(file, 0, async (handle) => (await handle.stat()).size);
}

function readAt(file: string, offset: number, length: number): Promise<Buffer> {
  if (length <= 0) return Promise.resolve(Buffer.alloc(0));
  return withFile(file, Buffer.alloc(0), async (handle) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  });
}

/** A missing file counts as empty. */
async function withFile<T>(file: string, absent: T, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await using(file, "r", use);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return absent;
    throw error;
  }
}

async function using<T>(file: string, flags: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, flags, 0o600);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}
