import { gzipSync } from "node:zlib";

/** An entry of a tar as a test wants it, right or wrong. */
export interface TestEntry {
  readonly name: string | Buffer;
  /** The type flag; "0", a file, unless given. */
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly target?: string | Buffer;
  readonly mode?: number;
  /** What the header says, if that is not the length of the content. */
  readonly size?: number;
  readonly magic?: string;
  readonly prefix?: string;
}

const blockBytes = 512;
export const endOfTar = Buffer.alloc(2 * blockBytes);

export function tarEntry(entry: TestEntry): Buffer {
  const content = Buffer.from(entry.content ?? "");
  const header = Buffer.alloc(blockBytes);
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  header.write(octal(entry.mode ?? 0o644, 8), 100, "latin1");
  header.write(octal(0, 8), 108, "latin1");
  header.write(octal(0, 8), 116, "latin1");
  writeSize(header, entry.size ?? content.length);
  header.write(octal(0, 12), 136, "latin1");
  header.write(entry.type ?? "0", 156, "latin1");
  Buffer.from(entry.target ?? "").copy(header, 157, 0, 100);
  header.write(entry.magic ?? "ustar\u000000", 257, "latin1");
  header.write(entry.prefix ?? "", 345, "latin1");
  header.fill(" ", 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]);
}

/** A pax header for the entry after it. */
export function pax(records: Readonly<Record<string, string>>, type = "x"): TestEntry {
  return { name: "PaxHeaders/x", type, content: Buffer.concat(Object.entries(records).map(paxRecord)) };
}

function paxRecord([key, value]: [string, string]): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

/** A GNU header with a long name ("L") or target ("K") for the entry after it. */
export function longName(name: string, type: "L" | "K" = "L"): TestEntry {
  return { name: "././@LongLink", type, content: `${name}\0`, magic: "ustar  \0" };
}

export function tar(entries: readonly TestEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), endOfTar]);
}

/** What a client sends: the files of a build by name. */
export function archive(entries: readonly TestEntry[]): Buffer {
  return gzipSync(tar(entries));
}

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, "0")}\0`;
}

function writeSize(header: Buffer, size: number): void {
  if (size < 8 ** 11) {
    header.write(octal(size, 12), 124, "latin1");
    return;
  }
  header[124] = 0x80;
  header.writeUIntBE(size, 130, 6);
}
