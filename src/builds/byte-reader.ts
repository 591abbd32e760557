import { InvalidBuild } from "./invalid-build.ts";

/** Reads a stream of bytes in pieces of the sizes that are needed. It holds one piece of the stream at a time. */
export interface ByteReader {
  /** Exactly so many bytes, which should be few. Throws InvalidBuild when the stream ends before. */
  take(length: number): Promise<Buffer>;
  /** The next so many bytes, as they come. Throws InvalidBuild when the stream ends before. */
  pieces(length: number): AsyncGenerator<Buffer>;
  /** What is left of the stream, as it comes. */
  rest(): AsyncGenerator<Buffer>;
}

export function createByteReader(source: AsyncIterator<Buffer>): ByteReader {
  let held: Buffer = Buffer.alloc(0);

  /** Null: the stream has ended. */
  async function next(lengthMax: number): Promise<Buffer | null> {
    while (held.length === 0) {
      const { done, value } = await source.next();
      if (done) return null;
      held = value;
    }
    const piece = held.subarray(0, lengthMax);
    held = held.subarray(piece.length);
    return piece;
  }

  async function* pieces(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      const piece = await next(left);
      if (piece === null) throw cutOff();
      left -= piece.length;
      yield piece;
    }
  }

  return {
    async take(length) {
      const first = await next(length);
      if (first === null) throw cutOff();
      if (first.length === length) return first;
      const parts = [first];
      for await (const piece of pieces(length - first.length)) parts.push(piece);
      return Buffer.concat(parts);
    },
    pieces,
    async *rest() {
      for (let piece = await next(pieceMax); piece !== null; piece = await next(pieceMax)) yield piece;
    },
  };
}

const pieceMax = 64 * 1024;

export function cutOff(): InvalidBuild {
  return new InvalidBuild("The archive is cut off: it ends before its last entry is complete.");
}
