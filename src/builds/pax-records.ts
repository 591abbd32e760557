import { InvalidBuild } from "./invalid-build.ts";

/** The records of a pax header that matter here; the others, such as times and owners, are ignored. */
export interface PaxRecords {
  readonly path?: Buffer;
  readonly linkpath?: Buffer;
  readonly size?: number;
}

const wanted: ReadonlySet<string> = new Set(["path", "linkpath", "size"]);

/** Records are written as "<length of the record> <key>=<value>\n". */
export function parsePax(bytes: Buffer): PaxRecords {
  const records: { path?: Buffer; linkpath?: Buffer; size?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = space === -1 || space - at > 8 ? "" : bytes.toString("latin1", at, space);
    const end = /^[1-9][0-9]*$/.test(length) ? at + Number(length) : 0;
    if (end <= space + 1 || end > bytes.length || bytes[end - 1] !== 0x0a) throw damaged();
    const equals = bytes.indexOf(0x3d, space + 1);
    if (equals === -1 || equals >= end) throw damaged();
    const key = bytes.toString("latin1", space + 1, equals);
    const value = bytes.subarray(equals + 1, end - 1);
    if (key.startsWith("GNU.sparse."))
      throw new InvalidBuild("The archive has a sparse file. Make it without --sparse.");
    if (key === "path" || key === "linkpath") records[key] = Buffer.from(value);
    if (key === "size") records.size = parseSize(value);
    at = end;
  }
  return records;
}

/** A header for all entries that follow. Programs write remarks there; a name or size for all of them makes no sense. */
export function checkGlobalPax(bytes: Buffer): void {
  if (Object.keys(parsePax(bytes)).some((key) => wanted.has(key))) {
    throw new InvalidBuild("The archive has a pax header that gives all entries one name or size.");
  }
}

function parseSize(value: Buffer): number {
  const text = value.toString("latin1");
  if (!/^[0-9]{1,15}$/.test(text)) throw damaged();
  return Number(text);
}

function damaged(): InvalidBuild {
  return new InvalidBuild("The archive has a damaged pax header.");
}
