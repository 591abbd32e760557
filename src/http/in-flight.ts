import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import { isLobbyPath } from "../gateway/lobby-path.ts";
import type { Logger } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import type { ClientAddress, ReadAddress } from "./client-address.ts";
import { createClientShares, inWords, isCounted } from "./client-shares.ts";
import { type Connections, createConnections } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { createTurns } from "./turns.ts";

/** The requests in flight: their connections, their clients, and how many there are. */
export interface InFlight {
  readonly connections: Connections;
  /** Does this when it is the request's turn on its connection and that of its client; never, if the connection ends before. */
  inTurn(request: FastifyRequest, reply: FastifyReply, begin: Begin, done: () => void): void;
  /** Does this now, or in a turn of the request's client if there is no time now; never, if the connection ends before. */
  whenTimely(request: FastifyRequest, work: () => void): void;
  /** The whole request has arrived, so it counts as in flight from now on. */
  count(request: FastifyRequest): void;
  /** A refusal when its client has too many unanswered requests. */
  admit(request: FastifyRequest, address: ClientAddress): Refusal | null;
  /** Its body is there. A refusal when the service or its client has too many in flight. */
  enter(request: FastifyRequest): Refusal | null;
  /** Whether the request waited for its turn longer than any request should. */
  isLate(request: FastifyRequest): boolean;
  /** Foyer stops: what has come on any connection is answered. */
  beginStopping(): void;
  stop(): void;
}

/** Passed on with its arguments, so that no request costs a closure. */
type Begin = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

const checkEveryMs = 5_000;

interface InFlightParts {
  config: Config;
  log: Logger;
  metrics: Metrics;
  readAddress: ReadAddress;
  refuseConnection(refusal: Refusal, socket: Socket): void;
  /** A refusal when the service cannot accept requests now. */
  checkLoad(): Refusal | null;
  /** Whether requests should wait because there may soon be room for them. */
  shouldWait(): boolean;
}

export function createInFlight(parts: InFlightParts): InFlight {
  const { config, log, metrics } = parts;
  const shares = createClientShares({
    connectionsMax: config.maxConnectionsPerAddress,
    inFlightMax: config.maxInFlightPerAddress,
  });

  function countConnection(socket: Socket) {
    const address = parts.readAddress(socket.remoteAddress ?? "", {});
    if (address.isDirectLoopback || address.isTrustedProxy) return null;
    const share = shares.connect(address);
    if (share) return share;
    const message = `More than ${inWords(config.maxConnectionsPerAddress, "connections")} are open. Close some first.`;
    parts.refuseConnection(refuse("API_RATE_LIMIT", message, { retryAfterS: 1 }), socket);
    return "refused";
  }

  function done(exchange: Exchange): void {
    const { request, reply, startedAt } = exchange;
    shares.leave(exchange);
    const operation = request.routeOptions.config?.operationId ?? "none";
    const ms = performance.now() - startedAt;
    if (!exchange.isInFlight) metrics.requestStarted();
    if (!request.isStreaming) metrics.requestDone(operation, reply.statusCode, ms / 1000);
    if (!log.isLevelEnabled("debug")) return;
    log.debug({ request_id: request.id, operation, status: reply.statusCode, ms: Math.round(ms) }, "request");
  }

  function count({ exchange }: FastifyRequest): void {
    exchange.isInFlight = true;
    metrics.requestStarted();
  }

  function findClient({ socket, headers }: IncomingMessage) {
    const address = parts.readAddress(socket.remoteAddress ?? "", headers);
    const client = address.network ?? address.client;
    return { client, isCounted: isCounted(address), hasOwnConnection: !address.isTrustedProxy };
  }

  const turns = createTurns({ isFull: parts.shouldWait, isUrgent, findClient });
  metrics.gauge("foyer_http_waiting", "Requests that wait for their turns now.", turns.count);
  metrics.gauge("foyer_http_unread_connections", "Connections that are not read for now.", turns.unreadCount);
  const connections = createConnections({ countConnection, findClient, turns, leave: shares.disconnect, done });
  metrics.gauge("foyer_http_connections", "Connections open now.", connections.count);
  const timer = setInterval(() => connections.cutOffSlowReaders(performance.now()), checkEveryMs).unref();

  function beginNow(request: FastifyRequest, reply: FastifyReply, begin: Begin, done: () => void): void {
    connections.begin(request, reply);
    begin(request, reply, done);
  }

  return {
    connections,
    inTurn(request, reply, begin, done) {
      const { raw } = request;
      if (connections.claim(raw)) beginNow(request, reply, begin, done);
      else connections.wait({ raw, begin: () => beginNow(request, reply, begin, done) });
    },
    whenTimely({ raw }, work) {
      if (turns.isOpen(raw, true)) work();
      else turns.wait(findClient(raw).client, { raw, begin: work }, true);
    },
    isLate: ({ raw }) => turns.isLate(raw),
    count,
    admit: ({ exchange }, address) => shares.admit(exchange, address),
    enter(request) {
      if (request.exchange.isInFlight) return null;
      const refusal = parts.checkLoad() ?? shares.enter(request.exchange);
      if (refusal === null) count(request);
      return refusal;
    },
    beginStopping: turns.readAll,
    stop: () => clearInterval(timer),
  };
}

/** Probes must not fail because others wait, and lobbies answer their requests themselves. */
function isUrgent({ url = "" }: IncomingMessage): boolean {
  return probe.test(url) || isLobbyPath(url);
}

const probe = /^\/(?:healthz|readyz|ping)(?:\?|$)/;
