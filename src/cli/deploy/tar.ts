import type { Entry } from "./list-files.ts";

const blockSize = 512;

/** The blocks before an entry's content. The same entry gives the same bytes, whenever and by whomever it is packed. */
export function tarHeader(entry: Entry): Buffer {
  const name = entry.kind === "folder" ? `${entry.path}/` : entry.path;
  const isLong = [name, entry.target ?? ""].some((text) => Buffer.byteLength(text) > 100 || !isAscii(text));
  const header = plainHeader({ name, target: entry.target ?? "", size: entry.size, ...modeAndType(entry) });
  if (!isLong) return header;
  const records = [paxRecord("path", name), ...(entry.target === null ? [] : [paxRecord("linkpath", entry.target)])];
  const body = Buffer.concat(records);
  const pax = plainHeader({ name: "pax", target: "", size: body.length, mode: 0o644, type: "x" });
  return Buffer.concat([pax, body, padding(body.length), header]);
}

/** Fills the last block of a content of this size. */
export function padding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}

export const tarEnd = Buffer.alloc(2 * blockSize);

function modeAndType({ kind, isExecutable }: Entry): { mode: number; type: string } {
  if (kind === "folder") return { mode: 0o755, type: "5" };
  return kind === "link" ? { mode: 0o777, type: "2" } : { mode: isExecutable ? 0o755 : 0o644, type: "0" };
}

function plainHeader(fields: { name: string; target: string; size: number; mode: number; type: string }): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(cut(fields.name), 0, 100);
  block.write(octal(fields.mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(fields.size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write("        ", 148);
  block.write(fields.type, 156);
  block.write(cut(fields.target), 157, 100);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\u0000 `, 148);
  return block;
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** The record that follows has the whole name; this one is for readers that do not know such records. */
function cut(text: string): string {
  return Buffer.from(text)
    .subarray(0, 100)
    .toString("latin1")
    .replace(/[^\x20-\x7e]/g, "_");
}

/** Its length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
