import { InvalidBuild } from "./invalid-build.ts";

export const blockBytes = 512;

/** One header block, as it is written in the archive. */
export interface TarHeader {
  /** Bytes, because only the reader of names decides whether they are valid text. */
  readonly name: Buffer;
  readonly linkName: Buffer;
  readonly size: number;
  readonly isExecutable: boolean;
  /** One character. */
  readonly type: string;
}

/** Reads a header of the formats ustar, pax and GNU. */
export function parseHeader(block: Buffer): TarHeader {
  const magic = block.toString("latin1", 257, 265);
  const isUstar = magic === "ustar\u000000";
  if (!isUstar && magic !== "ustar  \0") throw notTar();
  if (!hasChecksum(block)) throw notTar();
  const name = readText(block, 0, 100);
  // In GNU's format the field has another meaning.
  const prefix = isUstar ? readText(block, 345, 155) : Buffer.alloc(0);
  return {
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from("/"), name]),
    linkName: readText(block, 157, 100),
    size: readNumber(block, 124, 12),
    isExecutable: (readNumber(block, 100, 8) & 0o111) !== 0,
    type: block[156] === 0 ? "0" : String.fromCharCode(block[156] ?? 0),
  };
}

export function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += zeros.length) {
    const piece = bytes.subarray(at, at + zeros.length);
    if (!piece.equals(piece.length === zeros.length ? zeros : zeros.subarray(0, piece.length))) return false;
  }
  return true;
}

const zeros = Buffer.alloc(blockBytes);

function notTar(): InvalidBuild {
  return new InvalidBuild("The archive is not a valid tar in the format ustar, pax or GNU. Make it with tar -czf.");
}

/** Old programs summed signed bytes. */
function hasChecksum(block: Buffer): boolean {
  const stored = readNumber(block, 148, 8);
  let unsigned = 0;
  let signed = 0;
  for (let index = 0; index < blockBytes; index++) {
    // The checksum's own field counts as spaces.
    const value = index >= 148 && index < 156 ? 0x20 : block[index]!;
    unsigned += value;
    signed += value > 127 ? value - 256 : value;
  }
  return stored === unsigned || stored === signed;
}

/** Up to the first NUL. */
function readText(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  // A copy: the block is a part of a larger buffer.
  return Buffer.from(end === -1 ? field : field.subarray(0, end));
}

/** Octal digits, or with the highest bit set a binary number. */
function readNumber(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  if ((field[0] ?? 0) >= 0x80) return readBinary(field);
  const text = field.toString("latin1").replace(/\0.*$/s, "").trim();
  if (!/^[0-7]*$/.test(text)) throw notTar();
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function readBinary(field: Buffer): number {
  // 0xff begins a negative number, which nothing here may be.
  if (field[0] !== 0x80) throw notTar();
  let value = 0;
  for (const byte of field.subarray(1)) {
    value = value * 256 + byte;
    if (value > Number.MAX_SAFE_INTEGER) throw notTar();
  }
  return value;
}
