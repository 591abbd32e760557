import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway/gateway.ts";
import { isLobbyPath } from "../gateway/lobby-path.ts";
import { turnName } from "./client-shares.ts";
import { createConnectionTurns } from "./connection-turns.ts";
import {
  type Arrived,
  type ClientShare,
  type Connection,
  createConnection,
  createExchange,
  type Exchange,
  type RequestClient,
} from "./exchange.ts";
import { takeConnections } from "./new-connections.ts";
import { createOpenConnections } from "./open-connections.ts";
import { takeParsedRequests } from "./parsed-requests.ts";
import { cutOffIfSlow } from "./slow-readers.ts";
import type { Turns } from "./turns.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set when it is the request's turn on its connection, which is before anything else is done with it. */
    exchange: Exchange;
  }
}

export interface Connections {
  /** Follows every new connection of the server, and takes its requests before they are handled. */
  watch(server: Server, lobbies: Lobbies | null): void;
  /** Whether the request may begin now, which it then has to. Otherwise it has to wait. */
  claim(raw: IncomingMessage): boolean;
  /** Begins the request when it is its turn on its connection and that of its client; never, if the connection ends before. */
  wait(arrived: Arrived): void;
  begin(request: FastifyRequest, reply: FastifyReply): Exchange;
  /** The answer to the last request is out, but its body never came. */
  isAnsweredEarly(socket: Socket): boolean;
  /** How many connections there are. */
  count(): number;
  /** Whether a client waits for an answer that has an end. */
  areAnswersDue(): boolean;
  /** Ends every connection. */
  destroyAll(): void;
  /** Call it every few seconds: cuts off clients that do not take their answers. */
  cutOffSlowReaders(now: number): void;
}

/** Takes the requests for lobbies, and their connections when they become WebSockets. */
export interface Lobbies extends Pick<Gateway, "handle" | "upgrade"> {
  /** Whether it handles the request with this path. */
  takes(url: string | undefined): boolean;
}

/** Says whose the connection is; `refused`: the client has too many, and the socket was answered and closed. */
type CountConnection = (socket: Socket) => ClientShare | null | "refused";

interface ConnectionParts {
  countConnection: CountConnection;
  /** Whose turn a request takes. */
  findClient(raw: IncomingMessage): RequestClient;
  turns: Turns;
  leave(share: ClientShare): void;
  done(exchange: Exchange): void;
}

/**
 * The connections of the service. Of the requests that come on one connection one at a time is handled, whatever else the
 * client has sent already: node emits no `close` for an answer that is queued behind another, and what a client sends
 * without reading would be work and memory without a bound.
 */
export function createConnections(parts: ConnectionParts): Connections {
  const connections = createOpenConnections();
  const turns = createConnectionTurns(parts);

  const findConnection = (socket: KnownSocket) => socket[known] ?? follow(socket, null);

  function follow(socket: KnownSocket, share: ClientShare | null): Connection {
    const connection = createConnection(socket, share);
    socket[known] = connection;
    connections.add(connection);
    socket.on("close", () => {
      connections.delete(connection);
      turns.drop(connection);
      if (connection.current) finish(connection.current);
      if (share) parts.leave(share);
    });
    return connection;
  }

  function accept(socket: Socket): string | null | "refused" {
    parts.turns.noteConnection();
    const share = parts.countConnection(socket);
    if (share === "refused") return share;
    follow(socket, share);
    // With TLS it had its turn before its handshake.
    return share === null || socket instanceof TLSSocket ? null : turnName(share);
  }

  function finish(exchange: Exchange): void {
    if (exchange.isDone) return;
    exchange.isDone = true;
    const { connection, request } = exchange;
    connection.current = null;
    connection.answeredEarly = request.raw.complete ? null : request.raw;
    parts.done(exchange);
    turns.end(connection);
  }

  function claim(raw: IncomingMessage): boolean {
    return turns.claim(findConnection(raw.socket), raw);
  }

  function wait(arrived: Arrived): void {
    const { socket } = arrived.raw;
    if (!socket.destroyed) turns.wait(findConnection(socket), arrived);
  }

  return {
    watch(server, lobbies) {
      const begin = (raw: IncomingMessage, response: ServerResponse) =>
        passOn(findConnection(raw.socket), raw, response, turns.end);
      takeRequests(server, claim, wait, lobbies, begin);
      // Node treats requests with an Upgrade header as upgrades only if the server has this listener.
      if (lobbies) server.on("upgrade", (...given) => upgrade(lobbies, findConnection, given));
      const isUpgrade = (raw: IncomingMessage) => lobbies !== null && isWebSocket(raw);
      takeConnections(server, accept, (socket) => {
        const connection = findConnection(socket);
        takeParsedRequests(socket, { isBusy: () => connection.turn !== null, isUpgrade, wait });
      });
    },
    claim,
    wait,
    begin(request, reply) {
      const exchange = createExchange(findConnection(request.raw.socket), request, reply);
      exchange.connection.current = exchange;
      request.exchange = exchange;
      // Emitted once, so `once`, which costs more, is not needed.
      reply.raw.on("close", () => finish(exchange));
      return exchange;
    },
    isAnsweredEarly,
    count: () => connections.all().length,
    areAnswersDue: () => connections.all().some(isAnswerDue),
    destroyAll: () => connections.all().forEach(({ socket }) => void socket.destroy()),
    cutOffSlowReaders(now) {
      for (const { current } of connections.all()) if (current?.reply.raw.writableEnded) cutOffIfSlow(current, now);
    },
  };
}

/** The answer to the last request is out, but its body never came. */
function isAnsweredEarly(socket: KnownSocket): boolean {
  const connection = socket[known];
  return connection?.current === null && connection.answeredEarly?.complete === false;
}

function isAnswerDue({ turn, current, isPassedOn }: Connection): boolean {
  return turn !== null && !isPassedOn && !current?.request.isStreaming;
}

/** Requests that wait cost least before anything is made of them. */
function takeRequests(
  server: Server,
  claim: Connections["claim"],
  wait: Connections["wait"],
  lobbies: Lobbies | null,
  begin: (raw: IncomingMessage, response: ServerResponse) => void,
): void {
  const handleBy = (to: Lobbies, raw: IncomingMessage, response: ServerResponse) => {
    begin(raw, response);
    to.handle(raw, response);
  };
  const handlers = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  for (const handle of handlers) {
    server.on("request", (raw, response) => {
      if (lobbies?.takes(raw.url)) {
        if (claim(raw)) handleBy(lobbies, raw, response);
        else wait({ raw, begin: () => handleBy(lobbies, raw, response) });
        return;
      }
      if (claim(raw)) handle(raw, response);
      else wait({ raw, begin: () => handle(raw, response) });
    });
  }
}

/** Such a request has its turn on its connection like every other, until the lobby's answer is out. */
function passOn(
  connection: Connection,
  raw: IncomingMessage,
  response: ServerResponse,
  end: (connection: Connection) => void,
): void {
  connection.isPassedOn = true;
  response.on("close", () => {
    connection.isPassedOn = false;
    connection.answeredEarly = raw.complete ? null : raw;
    end(connection);
  });
}

function upgrade(
  lobbies: Lobbies,
  findConnection: (socket: Socket) => Connection,
  [raw, stream, head]: [IncomingMessage, Duplex, Buffer],
): void {
  const socket = stream as Socket;
  // Behind a request that is not answered.
  if (findConnection(socket).turn !== null) socket.destroy();
  else lobbies.upgrade(raw, socket, head);
}

/** A handshake has no body. */
function isWebSocket({ method, url, headers }: IncomingMessage): boolean {
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return isLobbyPath(url) && method === "GET" && !hasBody && headers.upgrade?.toLowerCase() === "websocket";
}

const known = Symbol("connection");
type KnownSocket = Socket & { [known]?: Connection };
