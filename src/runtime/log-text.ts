import type { Hide, LobbyLog, LogPiece } from "./runtime.ts";

/** How many bytes around a cut to check for a secret that the cut would split: the longest token has 114 bytes. */
export const secretBytes = 512;

/** The newest part of a log, at most that many bytes, without secrets. */
export async function readNewestText(
  piece: (from: number, maxBytes: number) => Promise<LogPiece>,
  maxBytes: number,
  hide: Hide,
): Promise<LobbyLog> {
  const { end } = await piece(0, 0);
  const { bytes, start } = await piece(Math.max(0, end - maxBytes - secretBytes), maxBytes + secretBytes);
  const from = safeStart(bytes, Math.max(0, bytes.length - maxBytes), start === 0, hide);
  return { text: hide(bytes.subarray(from).toString("utf8")), isTruncated: start + from > 0 };
}

/**
 * Where to start reading, if possible at that position. If a secret lies across the position, its second half would not
 * be recognised, so reading starts after the word that contains it.
 */
export function safeStart(bytes: Buffer, place: number, isFromFirst: boolean, hide: Hide): number {
  if (place === 0 ? isFromFirst : bytes[place - 1] === newline) return place;
  let from = place;
  while (from < bytes.length && !isCharacterStart(bytes, from)) from += 1;
  const before = bytes.subarray(Math.max(0, from - secretBytes), from);
  const isSeen = isFromFirst || before.length === secretBytes || before.some(isSeparator);
  if (isSeen && canPart(bytes, from, hide)) return from;
  while (from < bytes.length && !isSeparator(bytes[from]!)) from += 1;
  return from;
}

/** Where to cut a line that is too long for one message. Enough of it is left to see what lies across the cut. */
export function safeEnd(bytes: Buffer, hide: Hide): number {
  const latest = bytes.length - secretBytes;
  for (let cut = latest; cut > Math.max(0, latest - secretBytes); cut--) {
    if (isCharacterStart(bytes, cut) && canPart(bytes, cut, hide)) return cut;
  }
  // Only secrets, without a gap. A reader that continues here leaves out the rest of the secret that is cut.
  return latest;
}

const newline = 10;

function isCharacterStart(bytes: Buffer, place: number): boolean {
  return (bytes[place]! & 0xc0) !== 0x80;
}

/** No secret contains white space or quotes. */
export function isSeparator(byte: number): boolean {
  return byte <= 32 || byte === 34 || byte === 39;
}

/** Whether hiding secrets in the two halves gives the same text as hiding them in the whole. */
function canPart(bytes: Buffer, place: number, hide: Hide): boolean {
  // One character per byte: the patterns of secrets are ASCII.
  const before = bytes.toString("latin1", Math.max(0, place - secretBytes), place);
  const after = bytes.toString("latin1", place, place + secretBytes);
  return hide(before) + hide(after) === hide(before + after);
}
