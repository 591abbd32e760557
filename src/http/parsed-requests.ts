import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Arrived } from "./exchange.ts";

/** Node's parser of a connection gives each request that it has read to this. */
interface Parser {
  onIncoming?: ((request: IncomingMessage & { upgrade?: boolean }, isKeptAlive: boolean) => unknown) | null;
}

export type ParsedSocket = Socket & {
  parser?: Parser | null;
  /** Node reads again when the client has read what was written to it. */
  _paused?: boolean;
};

/** So the parser is asked to read no further, as before an upgrade. */
const endParsing = 2;

/**
 * Takes each request that has come on a connection. One that comes while the connection is busy is kept as it is until its turn:
 * Node would make an answer for each, and an error when the connection ends, which take several times as long as the request.
 */
export function takeParsedRequests(
  socket: ParsedSocket,
  isBusy: () => boolean,
  wait: (arrived: Arrived) => void,
): void {
  const { parser } = socket;
  const handle = parser?.onIncoming;
  if (!parser || !handle) return;
  parser.onIncoming = (raw, isKeptAlive) => {
    // What else has arrived is not handled, so it need not be parsed.
    if (socket.destroyed) return endParsing;
    if (raw.upgrade || !isBusy()) return handle(raw, isKeptAlive);
    if (socket.writableNeedDrain) pause(socket);
    wait({ raw, begin: () => void handle(raw, isKeptAlive) });
  };
}

/** As Node does: a client that does not read its answers should not send more. */
function pause(socket: ParsedSocket): void {
  if (socket._paused) return;
  socket._paused = true;
  socket.pause();
}
