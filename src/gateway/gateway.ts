import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isUnavailable } from "../ground/unavailable.ts";
import { isRefusal, type Refusal, refuse } from "../operations/refusal.ts";
import type { Routes } from "../operations/routing/routes.ts";
import { type Admitted, admitRequest, type CheckEdge } from "./admit.ts";
import { answerRefusal } from "./answer-refusal.ts";
import type { Bounds } from "./bounds.ts";
import { type Exchange, forwardRequest, lobbyUnreachable } from "./forward-request.ts";
import { forwardUpgrade } from "./forward-upgrade.ts";
import type { ProveNode } from "./lobby-request.ts";
import { createOpenExchanges } from "./open-exchanges.ts";

export interface GatewayParts {
  readonly routes: Routes;
  readonly checkEdge: CheckEdge;
  readonly bounds: Bounds;
  readonly proveNode: ProveNode;
  /** How long a lobby has to begin its answer. */
  readonly headMs: number;
  /** How long another node has to accept a connection. */
  readonly nodeConnectMs: number;
  /** How long a connection may be without a byte in either direction. */
  readonly idleMs: number;
  /** Whether the node at that address answers at all. Never rejects. */
  checkNode(url: string): Promise<boolean>;
  newRequestId(): string;
  /** The node at that address did not accept a connection. */
  onNodeUnreachable(url: string): void;
  /** An error that is no refusal: a bug, or an answer that Node does not write. */
  onError(error: unknown, requestId: string): void;
}

/** Passes requests and WebSockets below `/lobby/` on to lobbies. */
export interface Gateway {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Takes over the socket of a WebSocket handshake; `head` is what came behind it. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** The body of a request for a lobby comes on it, which may take longer than other requests. */
  isReceiving(socket: Socket): boolean;
  /** Ends the connections of clients that were blocked since they connected. */
  closeBlocked(): Promise<void>;
  /** Ends all connections. */
  close(): void;
}

export function createGateway(parts: GatewayParts): Gateway {
  const { routes, bounds } = parts;
  const exchanges = createOpenExchanges();
  const latest = new WeakMap<Socket, IncomingMessage>();
  const { answer, fail, failExchange, endings } = createEndings(parts);
  routes.onStopped((lobbyId) => exchanges.closeLobby(lobbyId, lobbyStopped()));

  /** Finds the lobby and takes a place; answers the refusal otherwise. */
  async function open(
    request: IncomingMessage,
    response: ServerResponse,
    isUpgrade: boolean,
    forward: (admitted: Admitted) => Exchange,
  ): Promise<void> {
    const admitted = await admitRequest(parts.checkEdge, routes, request, isUpgrade);
    if (isRefusal(admitted)) return answer(response, admitted);
    const { route, admission } = admitted;
    const isSeated = bounds.isForSeated(route, admission) && (await routes.hasSeat(route, admission.client));
    // Nothing is awaited from here on: an exchange of a closed connection would never end.
    if (request.socket.destroyed) return;
    const leave = bounds.take(route, admission, isSeated);
    if (isRefusal(leave)) return answer(response, leave);
    let exchange: Exchange;
    try {
      exchange = forward(admitted);
    } catch (error) {
      leave();
      return failExchange(response, error);
    }
    const { lobbyId, namespaceId } = route;
    const remove = exchanges.add({ lobbyId, namespaceId, client: admission.client, close: exchange.close });
    exchange.onClose(() => {
      remove();
      leave();
    });
  }

  /** One at a time: while routes are slow to read, the next run would ask the same. */
  let closing: Promise<void> | null = null;
  async function closeBlocked(): Promise<void> {
    const verdicts = new Map<string, boolean>();
    for (const exchange of [...exchanges.all()]) {
      const key = `${exchange.namespaceId} ${exchange.client}`;
      const isBlocked = verdicts.get(key) ?? (await routes.isBlocked(exchange));
      verdicts.set(key, isBlocked);
      if (isBlocked) exchange.close(clientBlocked());
    }
  }

  return {
    handle(request, response) {
      response.on("error", () => response.destroy());
      open(request, response, false, (admitted) => {
        latest.set(request.socket, request);
        return forwardRequest({ ...parts, ...admitted, request, response, ...endings(response) });
      }).catch((error: unknown) => fail(response, error));
    },
    upgrade(request, socket, head) {
      // Node no longer handles the socket, so its errors are handled here.
      socket.on("error", () => socket.destroy());
      if (head.length > 0) socket.unshift(head);
      const response = responseOn(request, socket);
      open(request, response, true, (admitted) =>
        forwardUpgrade({ ...parts, ...admitted, request, socket, response, ...endings(response) }),
      ).catch((error: unknown) => fail(response, error));
    },
    isReceiving: (socket) => latest.get(socket)?.complete === false,
    closeBlocked() {
      closing ??= closeBlocked().finally(() => {
        closing = null;
      });
      return closing;
    },
    close() {
      exchanges.closeAll(refuse("API_UNAVAILABLE", "The service is stopping. Try again shortly.", { retryAfterS: 1 }));
    },
  };
}

/** The ways in which a request ends here. None of them throws. */
function createEndings({ newRequestId, onError }: Pick<GatewayParts, "newRequestId" | "onError">) {
  function answer(response: ServerResponse, refusal: Refusal, requestId = newRequestId()): void {
    try {
      answerRefusal(response, refusal, requestId);
    } catch (error) {
      onError(error, requestId);
      response.destroy();
    }
  }

  /** Passing it on threw an error: the lobby cannot be reached by it. */
  function failExchange(response: ServerResponse, error: unknown): void {
    const requestId = newRequestId();
    onError(error, requestId);
    answer(response, lobbyUnreachable(), requestId);
  }

  function fail(response: ServerResponse, error: unknown): void {
    const requestId = newRequestId();
    const isAway = isUnavailable(error);
    if (!isAway) onError(error, requestId);
    const refusal = isAway
      ? refuse("API_UNAVAILABLE", "The data store is temporarily unavailable. Try again shortly.", { retryAfterS: 1 })
      : refuse("API_INTERNAL", "Internal server error. The server log has details under this request id.");
    answer(response, refusal, requestId);
  }

  return {
    answer,
    fail,
    failExchange,
    endings: (response: ServerResponse) => ({
      refuse: (refusal: Refusal) => answer(response, refusal),
      fail: (error: unknown) => failExchange(response, error),
    }),
  };
}

const lobbyStopped = () => refuse("MATCHMAKER_LOBBY_STOPPED", "The lobby has stopped.");
const clientBlocked = () => refuse("MATCHMAKER_CLIENT_BLOCKED", "This client is blocked here.");

/** For an answer to a handshake that is none: the connection ends with it. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.on("error", () => response.destroy());
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.destroySoon());
  return response;
}
