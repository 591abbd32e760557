import type { Hide, LobbyLog, LogPiece } from "./runtime.ts";

/** How far around a place one has to look for a secret that lies across it: the longest token has 114 bytes. */
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
 * Where to begin when it was to be at that place: there, unless a secret lies across it, whose second half alone would
 * not be known for one. Then it is the end of the word that holds it.
 */
export function safeStart(bytes: Buffer, place: number, isFromFirst: boolean, hide: Hide): number {
  if (place === 0 ? isFromFirst : bytes[place - 1] === newline) return place;
  let from = place;
  while (from < bytes.length && !isCharacterStart(bytes, from)) from += 1;
  const before = bytes.subarray(Math.max(0, from - secretBytes), from);
  const isSeen = isFromFirst || before.length === secretBytes || before.some(isBorder);
  if (isSeen && canPart(bytes, from, hide)) return from;
  while (from < bytes.length && !isBorder(bytes[from]!)) from += 1;
  return from;
}

/** Where to part a line that is too long to be told at once. Enough of it is left to see what lies across the cut. */
export function safeEnd(bytes: Buffer, hide: Hide): number {
  const latest = bytes.length - secretBytes;
  for (let cut = latest; cut > Math.max(0, latest - secretBytes); cut--) {
    if (isCharacterStart(bytes, cut) && canPart(bytes, cut, hide)) return cut;
  }
  // Secrets one after the other without an end. Whoever goes on from here leaves out the rest of the one that is cut.
  return latest;
}

const newline = 10;

function isCharacterStart(bytes: Buffer, place: number): boolean {
  return (bytes[place]! & 0xc0) !== 0x80;
}

/** White space and quotes are in no secret. */
function isBorder(byte: number): boolean {
  return byte <= 32 || byte === 34 || byte === 39;
}

/** Whether the same is taken out of two halves as of the whole. */
function canPart(bytes: Buffer, place: number, hide: Hide): boolean {
  // One character per byte: what secrets are known by is ASCII.
  const before = bytes.toString("latin1", Math.max(0, place - secretBytes), place);
  const after = bytes.toString("latin1", place, place + secretBytes);
  return hide(before) + hide(after) === hide(before + after);
}
