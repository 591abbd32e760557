import { readFileSync } from "node:fs";

/** What a reader of SQLite's write-ahead log finds in it. */
export interface LogInspection {
  /** The log ends within a commit: a checksum does not match, and nothing after it is read. */
  readonly isBroken: boolean;
  /** Where it breaks off, in bytes. */
  readonly brokenAt: number;
  /** Commits after that position, as far as they can be counted. */
  readonly commitsAfterBreak: number;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const wholeLog: LogInspection = { isBroken: false, brokenAt: 0, commitsAfterBreak: 0 };

/**
 * Reads the frames as SQLite does, which treats the first wrong checksum as the end of the log. Frames of an earlier
 * use of the file may follow the current ones with another salt; they are not part of the log.
 */
export function inspectLog(file: string): LogInspection {
  const log = readWhole(file);
  if (log === null || log.length < headerBytes) return wholeLog;
  const magic = log.readUInt32BE(0);
  const pageBytes = log.readUInt32BE(8);
  if ((magic & ~1) >>> 0 !== 0x377f0682 || pageBytes < 512 || pageBytes > 65536) return lostHeader(log);
  // The last bit of the magic number gives the byte order of the words in the checksum.
  const words = readWords(log, (magic & 1) === 1);
  const sums: Sums = [0, 0];
  addWords(sums, words, 0, 24);
  if (sums[0] !== log.readUInt32BE(24) || sums[1] !== log.readUInt32BE(28)) return lostHeader(log);
  return walkFrames(log, words, sums, pageBytes);
}

type Sums = [number, number];

function walkFrames(log: Buffer, words: Uint32Array, sums: Sums, pageBytes: number): LogInspection {
  const frameBytes = frameHeaderBytes + pageBytes;
  let isBroken = false;
  let brokenAt = 0;
  let commitsAfterBreak = 0;
  for (let at = headerBytes; at + frameHeaderBytes <= log.length; at += frameBytes) {
    const isOfThisLog = log.compare(log, 16, 24, at + 8, at + 16) === 0;
    if (!isOfThisLog) {
      // After a break this may be a frame whose salt was damaged.
      if (!isBroken && !hasFrameOfLog(log, at + frameBytes, frameBytes)) break;
      if (!isBroken) brokenAt = at;
      isBroken = true;
      continue;
    }
    const isWhole = at + frameBytes <= log.length;
    if (!isBroken && isWhole) {
      addWords(sums, words, at, 8);
      addWords(sums, words, at + frameHeaderBytes, pageBytes);
    }
    if (!isBroken && (!isWhole || sums[0] !== log.readUInt32BE(at + 16) || sums[1] !== log.readUInt32BE(at + 20))) {
      isBroken = true;
      brokenAt = at;
    }
    const isCommit = log.readUInt32BE(at + 4) > 0;
    if (isBroken && isCommit) commitsAfterBreak += 1;
  }
  return { isBroken, brokenAt, commitsAfterBreak };
}

function hasFrameOfLog(log: Buffer, from: number, frameBytes: number): boolean {
  for (let at = from; at + frameHeaderBytes <= log.length; at += frameBytes) {
    if (log.compare(log, 16, 24, at + 8, at + 16) === 0) return true;
  }
  return false;
}

/** Without its header SQLite reads nothing of a log, and its commits cannot be counted. */
function lostHeader(log: Buffer): LogInspection {
  return { isBroken: log.length > headerBytes, brokenAt: 0, commitsAfterBreak: 0 };
}

/** As in `sqlite3/src/wal.c`, with 32-bit sums. */
function addWords(sums: Sums, words: Uint32Array, from: number, bytes: number): void {
  let [first, second] = sums;
  for (let i = from / 4, end = (from + bytes) / 4; i < end; i += 2) {
    first = (first + words[i]! + second) >>> 0;
    second = (second + words[i + 1]! + first) >>> 0;
  }
  sums[0] = first;
  sums[1] = second;
}

function readWords(log: Buffer, isBigEndian: boolean): Uint32Array {
  const copy = Buffer.from(log.buffer.slice(log.byteOffset, log.byteOffset + (log.length & ~3)));
  const isNative = isBigEndian === (new Uint8Array(new Uint32Array([1]).buffer)[0] === 0);
  if (!isNative) copy.swap32();
  return new Uint32Array(copy.buffer, copy.byteOffset, copy.length / 4);
}

function readWhole(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    // The file is missing or unreadable; SQLite will report that better.
    return null;
  }
}
