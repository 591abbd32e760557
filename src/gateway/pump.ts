import type { Socket } from "node:net";
import { createReadGate } from "./read-gate.ts";

/** Copies the bytes of one connection to another. */
export interface Pump {
  /** Bytes that were read and that the system has not yet accepted for the other side. */
  buffered(): number;
}

/**
 * Copies what comes on `from` to `to`. While the system has not accepted a piece, nothing more is read, so that a reader
 * that is slow holds at most one piece, of at most 64 KiB.
 */
export function pump(from: Socket, to: Socket): Pump {
  const gate = createReadGate(from);

  function onAccepted(): void {
    if (to.writableLength === 0) gate.open();
  }

  from.on("data", (piece: Buffer) => {
    if (to.destroyed || to.writableEnded) return;
    to.write(piece, onAccepted);
    if (to.writableLength > 0) gate.close();
  });
  from.on("end", () => to.end());
  return { buffered: () => from.readableLength + to.writableLength };
}
