import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { createReadGate } from "./read-gate.ts";

/** Copies a body: nothing more is read of it while the system has not accepted what was read before. */
export function copyBody(from: IncomingMessage, to: ServerResponse | ClientRequest): void {
  const gate = createReadGate(from.socket);
  let waiting = 0;

  function onAccepted(): void {
    waiting -= 1;
    if (waiting === 0) gate.open();
  }

  from.on("data", (piece: Buffer) => {
    if (to.destroyed) return;
    waiting += 1;
    gate.close();
    to.write(piece, onAccepted);
  });
  from.once("end", () => {
    gate.open();
    to.end();
  });
  // What else comes on the connection, a client's next request, is none of this.
  to.once("close", () => gate.open());
}
