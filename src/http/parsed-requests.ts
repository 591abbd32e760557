import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Arrived } from "./exchange.ts";

/** Node's parser of a connection gives each request that it has read to this. */
interface Parser {
  onIncoming?: ((request: IncomingMessage & { upgrade?: boolean }, isKeptAlive: boolean) => unknown) | null;
}

type ParsedSocket = Socket & {
  parser?: Parser | null;
  /** Node reads again when the client has read what was written to it. */
  _paused?: boolean;
};

/** So the parser is asked to read no further, as before an upgrade. */
const endParsing = 2;

interface ParsedParts {
  isBusy(): boolean;
  /** Whether the request, which has an Upgrade header, is for a WebSocket. */
  isUpgrade(raw: IncomingMessage): boolean;
  /** The request begins with the answer that Node makes for it. */
  wait(arrived: Arrived): void;
}

/**
 * Takes each request that has come on a connection. One that comes while the connection is busy is kept as it is until it is the
 * first: Node would make an answer for each, and an error when the connection ends, which take several times as long as the
 * request. No answer may be made before that of a request that is kept.
 */
export function takeParsedRequests(socket: ParsedSocket, { isBusy, isUpgrade, wait }: ParsedParts): void {
  const { parser } = socket;
  const handle = parser?.onIncoming;
  if (!parser || !handle) return;
  parser.onIncoming = (raw, isKeptAlive) => {
    // What else has arrived is not handled, so it need not be parsed.
    if (socket.destroyed) return endParsing;
    // Some HTTP clients offer another protocol with each first request. Such a request stays an ordinary one.
    if (raw.upgrade && raw.method !== "CONNECT" && !isUpgrade(raw)) raw.upgrade = false;
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
