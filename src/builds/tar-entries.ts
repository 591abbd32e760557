import { type ByteReader, createByteReader } from "./byte-reader.ts";
import { InvalidBuild } from "./invalid-build.ts";
import { checkGlobalPax, type PaxRecords, parsePax } from "./pax-records.ts";
import { blockBytes, isZero, parseHeader, type TarHeader } from "./tar-header.ts";

type EntryKind = "file" | "folder" | "link" | "hardLink";

/** One entry of a tar, with the names that its extra headers give it. The names are not checked. */
export interface TarEntry {
  readonly kind: EntryKind;
  readonly name: Buffer;
  readonly linkName: Buffer;
  readonly size: number;
  readonly isExecutable: boolean;
  /** The bytes of a file. What is not read here is skipped before the next entry. */
  content(): AsyncGenerator<Buffer>;
}

const kinds: Readonly<Record<string, EntryKind>> = { "0": "file", "1": "hardLink", "2": "link", "5": "folder" };

/** Extra headers hold names, which are short; all of them together are bounded too, because they cost time. */
const extraMaxBytes = 1024 * 1024;
const extraTotalMaxBytes = 256 * 1024 * 1024;
/** Before one entry: a name, a link's target and a pax header. */
const extrasPerEntry = 3;
/** Programs fill up the last record, usually to 10 KiB. */
const paddingMaxBytes = 16 * 1024 * 1024;

/** Reads the entries one after another. It ends at the two zero blocks, after which only zeros may follow. */
export async function* readTar(source: AsyncIterator<Buffer>): AsyncGenerator<TarEntry> {
  const reader = createByteReader(source);
  const extras = createExtras(reader);
  for (;;) {
    const block = await reader.take(blockBytes);
    if (isZero(block)) break;
    const header = parseHeader(block);
    if (await extras.add(header)) continue;
    const { entry, skip } = openEntry(reader, header, extras.takeAll());
    yield entry;
    await skip();
  }
  extras.checkNone();
  await checkEnd(reader);
}

interface Names extends PaxRecords {
  readonly name?: Buffer;
  readonly linkName?: Buffer;
}

/** The headers that say more about the entry after them. */
function createExtras(reader: ByteReader) {
  let names: Names = {};
  let count = 0;
  let total = 0;

  async function read({ size }: TarHeader): Promise<Buffer> {
    total += size;
    if (size > extraMaxBytes || total > extraTotalMaxBytes) {
      throw new InvalidBuild("The archive has too large headers.");
    }
    const bytes = size === 0 ? Buffer.alloc(0) : await reader.take(size);
    await skipPadding(reader, size);
    return bytes;
  }

  return {
    /** False: it is the header of an entry. */
    async add(header: TarHeader): Promise<boolean> {
      const { type } = header;
      if (!"xgLK".includes(type)) return false;
      count += 1;
      if (count > extrasPerEntry) throw new InvalidBuild("The archive has too many headers before one entry.");
      const bytes = await read(header);
      if (type === "x") names = { ...names, ...parsePax(bytes) };
      else if (type === "g") checkGlobalPax(bytes);
      else names = { ...names, [type === "L" ? "name" : "linkName"]: upToNul(bytes) };
      return true;
    },
    takeAll(): Names {
      const taken = names;
      names = {};
      count = 0;
      return taken;
    },
    checkNone() {
      if (count > 0) throw new InvalidBuild("The archive ends with a header without an entry.");
    },
  };
}

function upToNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end));
}

function openEntry(reader: ByteReader, header: TarHeader, names: Names): { entry: TarEntry; skip(): Promise<void> } {
  const kind = kinds[header.type];
  if (kind === undefined) {
    const message =
      "The archive has an entry that is neither a file, a folder, a symbolic link nor a hard link, such as a device or a pipe.";
    throw new InvalidBuild(message);
  }
  const size = names.size ?? header.size;
  if (kind !== "file" && size > 0) throw new InvalidBuild("The archive has a folder or a link with content.");
  const content = reader.pieces(size);
  const entry: TarEntry = {
    kind,
    name: names.path ?? names.name ?? header.name,
    linkName: names.linkpath ?? names.linkName ?? header.linkName,
    size,
    isExecutable: header.isExecutable,
    content: () => content,
  };
  async function skip(): Promise<void> {
    for (let next = await content.next(); !next.done; next = await content.next());
    await skipPadding(reader, size);
  }
  return { entry, skip };
}

/** Content is filled up to whole blocks. */
async function skipPadding(reader: ByteReader, size: number): Promise<void> {
  const padding = (blockBytes - (size % blockBytes)) % blockBytes;
  if (padding > 0) await reader.take(padding);
}

async function checkEnd(reader: ByteReader): Promise<void> {
  if (!isZero(await reader.take(blockBytes))) throw notTheEnd();
  let padding = 0;
  for await (const piece of reader.rest()) {
    padding += piece.length;
    if (padding > paddingMaxBytes || !isZero(piece)) throw notTheEnd();
  }
}

function notTheEnd(): InvalidBuild {
  return new InvalidBuild("The archive goes on after its end. Send one tar, and nothing after it.");
}
