/** Reads a document; each call starts at its beginning. */
export type DocumentSource = () => AsyncIterable<Uint8Array>;

/** The document cannot be imported; the message names the line. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

export interface Line {
  /** From 1. */
  readonly number: number;
  /** With the line break, unless the document ends without one. */
  readonly bytes: Buffer;
}

// The largest row is a version's document or a lobby's last output, some tens of kilobytes.
const lineMaxBytes = 4 * 1024 * 1024;

/** Splits at line breaks. A file without line breaks is not read into memory as a whole. */
export async function* splitLines(source: DocumentSource): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let length = 0;
  let number = 1;
  for await (const chunk of source()) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (;;) {
      const end = rest.indexOf(lineBreak);
      const piece = end === -1 ? rest : rest.subarray(0, end + 1);
      pieces.push(piece);
      length += piece.length;
      if (length > lineMaxBytes) {
        throw new DocumentError(`Line ${number} is longer than ${lineMaxBytes} bytes: this is not an export of Foyer.`);
      }
      if (end === -1) break;
      yield { number, bytes: Buffer.concat(pieces) };
      pieces = [];
      length = 0;
      number += 1;
      rest = rest.subarray(end + 1);
    }
  }
  if (length > 0) yield { number, bytes: Buffer.concat(pieces) };
}

const lineBreak = 10;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The only property of a line's object, which names the kind of the line. */
export function readContent({ number, bytes }: Line): {
  readonly word: string;
  readonly value: unknown;
  readonly whole: object;
} {
  let whole: unknown;
  try {
    whole = JSON.parse(decoder.decode(bytes));
  } catch {
    throw new DocumentError(`Line ${number} is not valid JSON: the document is damaged, or not an export of Foyer.`);
  }
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) {
    throw new DocumentError(`Line ${number} is not a JSON object: this is not an export of Foyer.`);
  }
  const [word = "", value] = Object.entries(whole)[0] ?? [];
  return { word, value, whole };
}
