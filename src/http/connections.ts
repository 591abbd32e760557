import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { isLobbyPath } from "../gateway/lobby-path.ts";
import { headersMax } from "../ground/limits.ts";
import type { Logger } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import type { ReadAddress } from "./client-address.ts";
import {
  comesBehind,
  connectionOf,
  createConnection,
  createExchange,
  createOpenConnections,
  cutOffSlowReaders,
  type Exchange,
  isAnswerDue,
  type KnownSocket,
  known,
  type OpenConnections,
  type OpenRequest,
  openRequestOf,
} from "./connection.ts";
import { createGate, type Gate } from "./gate.ts";
import { type ClientShares, createClientShares, inWords } from "./limits.ts";

/** Takes the requests for lobbies, and their connections when they become WebSockets. */
export interface Lobbies extends Pick<Gateway, "handle" | "upgrade"> {
  /** Whether it handles the request with this path. */
  takes(url: string | undefined): boolean;
}

/** The connections of the service, their clients, and the requests on them. */
export interface Connections {
  /** Follows every new connection of the server, and gives its requests to their handlers, each in its turn. */
  watch(server: Server, lobbies: Lobbies | null): void;
  /** The request's exchange, which from now on counts as one of the service's own. */
  follow(request: FastifyRequest): Exchange;
  /** Does this in the turn of the request's client; never, if the connection ends before. */
  whenTimely(request: FastifyRequest, work: () => void): void;
  /** The whole request has arrived, so it counts as in flight from now on. */
  count(request: FastifyRequest): void;
  /** A refusal when its client has too many unanswered requests. */
  admit(request: FastifyRequest): Refusal | null;
  /** Its body is there. A refusal when the service or its client has too many in flight. */
  enter(request: FastifyRequest): Refusal | null;
  /**
   * Something has come on the connection that is no request to handle. True: it came behind a request that is not answered
   * yet; that answer is the last one.
   */
  comesBehind(socket: Socket): boolean;
  /** The request that the connection is not done with, because its answer or its body is not over; null: there is none. */
  openRequest(socket: Socket): OpenRequest | null;
  /** Whether a client waits for an answer that has an end. */
  areAnswersDue(): boolean;
  /** Foyer stops: what has come on any connection is answered. */
  beginStopping(): void;
  /** Ends every connection. */
  destroyAll(): void;
  stop(): void;
}

const checkEveryMs = 5_000;

interface ConnectionParts {
  config: Config;
  log: Logger;
  metrics: Metrics;
  readAddress: ReadAddress;
  /** Answers on a connection without a request, and closes it. */
  refuseConnection(refusal: Refusal, socket: Socket): void;
  /** A refusal when the service cannot accept requests now. */
  checkLoad(): Refusal | null;
  /** Whether requests should wait because there may soon be room for them. */
  isFull(): boolean;
}

export function createConnections(parts: ConnectionParts): Connections {
  const { config, log, metrics, readAddress } = parts;
  const open = createOpenConnections();
  const shares = createClientShares({
    connectionsMax: config.maxConnectionsPerAddress,
    inFlightMax: config.maxInFlightPerAddress,
  });
  const gate = createGate(parts.isFull);
  addGauges(metrics, gate, open);
  const timer = setInterval(() => cutOffSlowReaders(open.all()), checkEveryMs).unref();

  function arrive(raw: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    const connection = connectionOf(raw.socket);
    const { current } = connection;
    if (current !== null) {
      // The client may have the answer already: with TLS, Node says a little later that it is out.
      const mayHaveAnswer = current.response.writableEnded && connection.next === null;
      if (mayHaveAnswer) connection.next = () => arrive(raw, response, handle);
      else comesBehind(connection.socket);
      return;
    }
    const address = readAddress(raw.socket.remoteAddress ?? "", raw.headers);
    const exchange = createExchange(connection, raw, response, address);
    connection.current = exchange;
    response.on("close", () => finish(exchange));
    response.on("error", () => raw.socket.destroy());
    const begin = (isLate: boolean) => {
      exchange.isLate = isLate;
      guard(log, connection.socket, () => handle(raw, response));
    };
    wait(exchange, begin, exchange.isUrgent);
  }

  function wait({ address, socket }: Exchange, begin: (isLate: boolean) => void, isUrgent: boolean): void {
    gate.wait(address.network ?? address.client, socket, begin, isUrgent);
  }

  function finish(exchange: Exchange): void {
    if (exchange.isDone) return;
    exchange.isDone = true;
    const { connection, raw, request, socket } = exchange;
    const { next } = connection;
    connection.current = null;
    connection.next = null;
    connection.answeredEarly = raw.complete ? null : raw;
    if (request !== null) noteDone(parts, shares, exchange, request);
    if (connection.behind > 0) socket.destroySoon();
    else if (next !== null) next();
    else if (!exchange.isUrgent) gate.leave(raw);
  }

  const accept = createAccept(parts, shares, open, finish);

  return {
    watch: (server, lobbies) => takeRequests(server, lobbies, { ...parts, accept, arrive }),
    follow(request) {
      const exchange = connectionOf(request.raw.socket).current!;
      exchange.request = request;
      request.exchange = exchange;
      return exchange;
    },
    whenTimely: ({ exchange }, work) => wait(exchange, work, true),
    count: (request) => count(metrics, request),
    admit: ({ exchange }) => shares.admit(exchange, exchange.address),
    enter(request) {
      if (request.exchange.isInFlight) return null;
      const refusal = parts.checkLoad() ?? shares.enter(request.exchange);
      if (refusal === null) count(metrics, request);
      return refusal;
    },
    comesBehind,
    openRequest: (socket) => openRequestOf(connectionOf(socket)),
    areAnswersDue: () => open.all().some(isAnswerDue),
    beginStopping: gate.stop,
    destroyAll: () => open.all().forEach(({ socket }) => void socket.destroy()),
    stop: () => clearInterval(timer),
  };
}

function count(metrics: Metrics, { exchange }: FastifyRequest): void {
  exchange.isInFlight = true;
  metrics.requestStarted();
}

function addGauges(metrics: Metrics, gate: Gate, open: OpenConnections): void {
  metrics.gauge("foyer_http_waiting", "Requests that wait for their turns now.", gate.waitingCount);
  metrics.gauge("foyer_http_unread_connections", "Connections that are not read for now.", gate.unreadCount);
  metrics.gauge("foyer_http_connections", "Connections open now.", () => open.all().length);
}

/** False: its client has too many connections, and this one was answered and closed. */
function createAccept(
  { config, readAddress, refuseConnection }: ConnectionParts,
  shares: ClientShares,
  open: OpenConnections,
  finish: (exchange: Exchange) => void,
) {
  return (socket: KnownSocket) => {
    // Node removes its own listener at an offer of another protocol, and an error without one ends the process.
    socket.on("error", () => socket.destroy());
    const address = readAddress(socket.remoteAddress ?? "", {});
    const isExempt = address.isDirectLoopback || address.isTrustedProxy;
    const share = isExempt ? null : shares.connect(address);
    if (share === null && !isExempt) {
      const message = `More than ${inWords(config.maxConnectionsPerAddress, "connections")} are open. Close some first.`;
      refuseConnection(refuse("API_RATE_LIMIT", message, { retryAfterS: 1 }), socket);
      // If what the client sends were not taken, its system might not give it the answer.
      socket.resume();
      return false;
    }
    const connection = createConnection(socket, share);
    socket[known] = connection;
    open.add(connection);
    socket.on("close", () => {
      open.delete(connection);
      connection.next = null;
      if (connection.current) finish(connection.current);
      if (share) shares.disconnect(share);
    });
    return true;
  };
}

function takeRequests(
  server: Server,
  lobbies: Lobbies | null,
  {
    log,
    refuseConnection,
    accept,
    arrive,
  }: Pick<ConnectionParts, "log" | "refuseConnection"> & {
    accept(socket: Socket): boolean;
    arrive(raw: IncomingMessage, response: ServerResponse, handle: RequestListener): void;
  },
): void {
  const takeConnection = takeConnections(server, accept);
  const listeners = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  const handle: RequestListener = (raw, response) => {
    if (lobbies?.takes(raw.url)) lobbies.handle(raw, response);
    else for (const listener of listeners) listener(raw, response);
  };
  server.on("request", (raw, response) => arrive(raw, response, handle));
  // Without this listener Node would drop what comes behind an offer of another protocol in the same piece of input.
  server.on("upgrade", (raw: IncomingMessage, stream: Duplex, head: Buffer) => {
    const socket = stream as Socket;
    if (comesBehind(socket)) ignore(socket);
    else if (lobbies !== null && isWebSocket(raw)) guard(log, socket, () => lobbies.upgrade(raw, socket, head));
    else if (raw.rawHeaders.length > 2 * headersMax) {
      refuseConnection(tooManyHeaders(), socket);
      socket.resume();
    } else declineUpgrade(raw, socket, head, takeConnection);
  });
}

/** Whatever comes from outside, an error in its handling ends its connection and nothing else. */
function guard(log: Logger, socket: Socket, work: () => void): void {
  try {
    work();
  } catch (err) {
    log.error({ err }, "a request failed before it could be answered");
    socket.destroy();
  }
}

function noteDone(
  { log, metrics }: ConnectionParts,
  shares: ClientShares,
  exchange: Exchange,
  request: FastifyRequest,
): void {
  shares.leave(exchange);
  const { statusCode } = exchange.response;
  const operation = request.routeOptions.config?.operationId ?? "none";
  const ms = performance.now() - exchange.startedAt;
  if (!exchange.isInFlight) metrics.requestStarted();
  if (!request.isStreaming) metrics.requestDone(operation, statusCode, ms / 1000);
  if (!log.isLevelEnabled("debug")) return;
  log.debug({ request_id: request.id, operation, status: statusCode, ms: Math.round(ms) }, "request");
}

/** Gives the server no connection that is not accepted. Returns what gives it one again, with other bytes in front. */
function takeConnections(server: Server, accept: (socket: Socket) => boolean): (socket: Socket) => void {
  const listeners = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  const take = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.on("connection", (socket: Socket) => {
    if (accept(socket)) take(socket);
  });
  return take;
}

/**
 * Some HTTP clients offer another protocol with each first request. Such a request stays an ordinary one: the connection begins
 * again, with the same request without the offer and with everything that came behind it.
 */
function declineUpgrade(raw: IncomingMessage, socket: Socket, behind: Buffer, take: (socket: Socket) => void): void {
  const { rawHeaders } = raw;
  let head = `${raw.method} ${raw.url} HTTP/${raw.httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== "upgrade") head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, "latin1"), behind]));
  take(socket);
}

const tooManyHeaders = () => refuse("API_BAD_HEADER", `The request has more than ${headersMax} headers.`);

/** Node no longer handles the socket, and what still comes on it is dropped. */
export function ignore(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.resume();
}

/** A handshake has no body. */
function isWebSocket({ method, url, headers }: IncomingMessage): boolean {
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return isLobbyPath(url) && method === "GET" && !hasBody && headers.upgrade?.toLowerCase() === "websocket";
}
