import type { Readable } from "node:stream";

/** A body while it arrives: the reader asks for each chunk, and no more is read from the connection meanwhile. */
export interface BodySource {
  /** Throws when the client disconnects, is too slow or sends too much. */
  readonly chunks: AsyncIterable<Buffer>;
  /** The reader gets this error with its next chunk. */
  fail(error: Error): void;
  /** What still comes is read and dropped. */
  drop(): void;
}

export interface BodyLimits {
  /** So much has to arrive in each period. Time in which the reader asks for nothing does not count. */
  readonly pieceBytes: number;
  readonly pieceMs: number;
  /** For all of it, from now on. */
  readonly maxMs: number;
  readonly maxBytes: number;
  tooLarge(): Error;
  tooSlow(): Error;
}

export function readAsItComes(stream: Readable, limits: BodyLimits): BodySource {
  const endsAt = performance.now() + limits.maxMs;
  const arrived: Buffer[] = [];
  let hasEnded = false;
  let failure: Error | null = null;
  let isDropped = false;
  let wake = () => {};

  function fail(error: Error): void {
    failure ??= error;
    wake();
  }

  const onData = (chunk: Buffer) => {
    arrived.push(chunk);
    stream.pause();
    wake();
  };
  const onEnd = () => {
    hasEnded = true;
    wake();
  };
  const onGone = () => {
    if (!hasEnded) fail(new Error("The client disconnected during its upload."));
  };
  stream.pause();
  stream.on("data", onData);
  stream.on("end", onEnd);
  stream.on("error", onGone);
  stream.on("close", onGone);

  /** True: something happened; false: nothing did for so long. */
  async function waitFor(ms: number): Promise<boolean> {
    stream.resume();
    let timer: NodeJS.Timeout | undefined;
    const happened = await new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, ms), false);
      wake = () => resolve(true);
    });
    clearTimeout(timer);
    wake = () => {};
    return happened;
  }

  async function* read(): AsyncGenerator<Buffer> {
    let bytes = 0;
    let pieceBytes = 0;
    let waitedMs = 0;
    for (;;) {
      if (failure) throw failure;
      const chunk = arrived.shift();
      if (chunk) {
        bytes += chunk.length;
        pieceBytes += chunk.length;
        if (bytes > limits.maxBytes) throw limits.tooLarge();
        if (pieceBytes >= limits.pieceBytes) [pieceBytes, waitedMs] = [0, 0];
        yield chunk;
        continue;
      }
      if (hasEnded) return;
      const since = performance.now();
      const isMore = await waitFor(Math.min(limits.pieceMs - waitedMs, endsAt - since));
      waitedMs += performance.now() - since;
      if (!isMore || performance.now() > endsAt) throw limits.tooSlow();
    }
  }

  return {
    chunks: read(),
    fail,
    drop() {
      if (isDropped) return;
      isDropped = true;
      fail(new Error("The upload was answered before its end."));
      stream.off("data", onData);
      stream.resume();
    },
  };
}
