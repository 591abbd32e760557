import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { TLSSocket } from "node:tls";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { nodeUnreachable } from "../operations/routing/routes.ts";
import type { Admitted } from "./admit.ts";
import { codingsOf, hasBody, toClientHeaders } from "./headers.ts";
import { openLobbyRequest, type ProveNode } from "./lobby-request.ts";

/** A request or a WebSocket that was passed on. */
export interface Exchange {
  /** Ends it immediately; if there is no answer yet, with this one. */
  close(why: Refusal): void;
  /** Calls back once, when nothing of it is left. */
  onClose(listener: () => void): void;
}

export interface ForwardParts extends Admitted {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly proveNode: ProveNode;
  readonly headMs: number;
  readonly nodeConnectMs: number;
  readonly idleMs: number;
  /** Whether the node at that address answers at all. */
  checkNode(url: string): Promise<boolean>;
  /** The node at that address did not accept a connection. */
  onNodeUnreachable(url: string): void;
  refuse(refusal: Refusal): void;
  /** Ends this exchange because of an error that was thrown while it was handled. */
  fail(error: unknown): void;
}

/** What a handler of an event throws ends its exchange, and nothing else: a lobby may send what Node does not write. */
export function guarded<A extends unknown[]>(parts: Pick<ForwardParts, "fail">, handle: (...args: A) => void) {
  return (...args: A): void => {
    try {
      handle(...args);
    } catch (error) {
      parts.fail(error);
    }
  };
}

/** Passes a request on to the lobby, and its answer back. */
export function forwardRequest(parts: ForwardParts): Exchange {
  const { request, response, idleMs } = parts;
  const { socket } = request;
  const sent = startRequest(parts, false);

  if (hasBody(request)) {
    // What limits a body is how long no byte comes.
    socket.setTimeout(idleMs);
    request.once("end", () => {
      if (!response.headersSent) socket.setTimeout(0);
    });
    // A pipeline would end the client's connection with the lobby's, and a lobby may answer before it has read the body
    // (docs/decisions/0021).
    request.pipe(sent);
  } else {
    request.resume();
    sent.end();
  }
  sent.once(
    "response",
    guarded(parts, (answer: IncomingMessage) => {
      socket.setTimeout(idleMs);
      passAnswer(parts, answer);
    }),
  );
  response.once("close", () => sent.destroy());
  return {
    close(why) {
      // An answer that has begun cannot be replaced.
      if (response.headersSent) socket.destroy();
      else parts.refuse(why);
      sent.destroy();
    },
    onClose: (listener) => void response.once("close", listener),
  };
}

/** With the time that a node has to answer the check, 9 s. */
const checkNodeEveryMs = 4_000;

/** Sends the head; answers when the lobby cannot be reached or does not answer in time. */
export function startRequest(parts: ForwardParts, isUpgrade: boolean): ClientRequest {
  const { request, path, route, admission } = parts;
  const about = { request, path, target: route.target, forwarded: admission.forwarded, proveNode: parts.proveNode };
  const sent = openLobbyRequest({ ...about, isUpgrade });
  let isSettled = false;
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    if (isSettled) return;
    timer = setTimeout(() => settle(refuse("API_LOBBY_TIMEOUT", "The lobby did not answer in time.")), parts.headMs);
  };
  // The lobby may wait for the whole body before it answers. A body that stops is ended by the client's own time-out.
  if (hasBody(request)) request.once("end", startTimer);
  else startTimer();

  /** Null: the lobby has answered. */
  function settle(refusal: Refusal | null): void {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    if (refusal === null) return;
    sent.destroy();
    parts.refuse(refusal);
  }

  const unreachable = () => settle(lobbyUnreachable());
  if (route.target.kind === "node") {
    const { url } = route.target;
    const isAway = () => {
      if (isSettled) return;
      parts.onNodeUnreachable(url);
      settle(nodeUnreachable());
    };
    limitConnecting(sent, parts.nodeConnectMs, isAway);
    // Of a node that is frozen the system still accepts connections; a lobby may take longer than this to answer.
    const timer = setInterval(async () => {
      if (!(await parts.checkNode(url))) isAway();
    }, checkNodeEveryMs);
    sent.once("response", () => clearInterval(timer));
    sent.once("close", () => clearInterval(timer));
  }
  sent.on("error", unreachable);
  sent.once("close", unreachable);
  sent.once("response", () => settle(null));
  sent.once("upgrade", (_answer, socket) => {
    if (isUpgrade) return settle(null);
    socket.destroy();
    unreachable();
  });
  sent.once("socket", (socket) => socket.setNoDelay(true));
  return sent;
}

/** Calls back once if there is no connection after that time, or if it fails. */
function limitConnecting(sent: ClientRequest, withinMs: number, fail: () => void): void {
  const timer = setTimeout(fail, withinMs);
  const failNow = (error: NodeJS.ErrnoException) => {
    // Before there is a connection, this code means that the client has left.
    if (error.code !== "ECONNRESET") fail();
  };
  sent.once("error", failNow);
  sent.once("close", () => clearTimeout(timer));
  sent.once("socket", (socket) => {
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      sent.off("error", failNow);
    });
  });
}

/** Passes the answer of the lobby back to its client. */
export function passAnswer({ response, route, request, ...parts }: ForwardParts, answer: IncomingMessage): void {
  if (response.headersSent || response.destroyed) return void answer.destroy();
  const { statusCode = 0 } = answer;
  // A client of HTTP/1.0 would take the frames of an encoded body for a part of it.
  const isReadable = request.httpVersionMinor > 0 || codingsOf(answer).length === 0;
  if (statusCode < 200 || statusCode > 599 || !isReadable) {
    answer.destroy();
    parts.refuse(lobbyUnreachable());
    return;
  }

  response.writeHead(statusCode, toClientHeaders(answer, route.target.kind === "node"));
  response.flushHeaders();
  // Ends the client's connection if the rest of the answer is missing, which it must notice.
  pipeline(answer, response, () => undefined);
}

export const lobbyUnreachable = () => refuse("API_LOBBY_UNREACHABLE", "The lobby does not answer on this port.");
