import type { Socket } from "node:net";

/** Stops and continues reading from a connection, immediately. While it is closed, the sender has to wait. */
export interface ReadGate {
  close(): void;
  open(): void;
}

/** What a socket uses of the system, which node does not declare. */
interface Handle {
  reading?: boolean;
  readStart?(): unknown;
  readStop?(): unknown;
}

/**
 * A stream that is paused still reads one piece, and reads ahead by itself. So the stream stays as it is, and its
 * connection to the system is stopped instead.
 */
export function createReadGate(socket: Socket): ReadGate {
  const inner = socket as Socket & { _handle?: Handle | null; _read(size: number): void };
  const read = inner._read;
  let isClosed = false;
  inner._read = (size) => {
    if (!isClosed) read.call(socket, size);
  };
  return {
    close() {
      if (isClosed) return;
      isClosed = true;
      const { _handle: handle } = inner;
      if (handle?.reading !== true) return;
      handle.reading = false;
      handle.readStop?.();
    },
    open() {
      if (!isClosed) return;
      isClosed = false;
      const { _handle: handle } = inner;
      if (!handle || handle.reading === true) return;
      handle.reading = true;
      handle.readStart?.();
    },
  };
}
