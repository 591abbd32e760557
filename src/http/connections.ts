import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { pipelinedBytesMax, pipelinedRequestsMax } from "../ground/limits.ts";
import { type ClientShare, type Connection, createConnection, createExchange, type Exchange } from "./exchange.ts";
import { cutOffIfSlow } from "./slow-readers.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set when it is the request's turn on its connection, which is before anything else is done with it. */
    exchange: Exchange;
  }
}

export interface Connections {
  /** Follows every new connection of the server. */
  watch(server: Server): void;
  /** Whether a request of this socket may begin now. Otherwise it has to wait for its turn. */
  isFree(socket: Socket): boolean;
  /** Begins the request when those before it are answered; never, if the connection ends before. */
  wait(socket: Socket, begin: () => void): void;
  begin(request: FastifyRequest, reply: FastifyReply): Exchange;
  /** The answer to the last request is out, but its body never came. */
  isAnsweredEarly(socket: Socket): boolean;
  /** How many connections there are. */
  count(): number;
  /** Whether a client waits for an answer that has an end. */
  areAnswersDue(): boolean;
  /** Call it every few seconds: cuts off clients that do not take their answers. */
  cutOffSlowReaders(now: number): void;
}

/** Says whose the connection is; `refused`: the client has too many, and the socket was answered and closed. */
type CountConnection = (socket: Socket) => ClientShare | null | "refused";

/**
 * The connections of the service. Of the requests that come on one connection one at a time is handled, whatever else the
 * client has sent already: node emits no `close` for an answer that is queued behind another, and what a client sends
 * without reading would be work and memory without a bound.
 */
export function createConnections(parts: {
  countConnection: CountConnection;
  leave(share: ClientShare): void;
  done(exchange: Exchange): void;
}): Connections {
  const connections = new Set<Connection>();

  function findConnection(socket: KnownSocket): Connection {
    return socket[known] ?? follow(socket, null);
  }

  function follow(socket: KnownSocket, share: ClientShare | null): Connection {
    const connection = createConnection(socket, share);
    socket[known] = connection;
    connections.add(connection);
    socket.once("close", () => {
      connections.delete(connection);
      connection.waiting.length = 0;
      if (connection.current) finish(connection.current);
      if (share) parts.leave(share);
    });
    return connection;
  }

  function finish(exchange: Exchange): void {
    if (exchange.isDone) return;
    exchange.isDone = true;
    const { connection, request } = exchange;
    connection.current = null;
    connection.answeredEarly = request.raw.complete ? null : request.raw;
    parts.done(exchange);
    beginNext(connection);
  }

  return {
    watch(server) {
      server.on("connection", (socket: Socket) => {
        const share = parts.countConnection(socket);
        if (share === "refused") refusedSockets.add(socket);
        else follow(socket, share);
      });
    },
    isFree(socket) {
      const connection = (socket as KnownSocket)[known];
      return connection !== undefined ? connection.current === null : !refusedSockets.has(socket);
    },
    wait(socket, begin) {
      if (socket.destroyed || refusedSockets.has(socket)) return;
      const connection = findConnection(socket);
      if (connection.waiting.length === 0) connection.readBytes = socket.bytesRead;
      connection.waiting.push(begin);
      const isTooMuch = socket.bytesRead - connection.readBytes > pipelinedBytesMax;
      if (isTooMuch || connection.waiting.length > pipelinedRequestsMax) stopReading(socket);
    },
    begin(request, reply) {
      const exchange = createExchange(findConnection(request.raw.socket), request, reply);
      exchange.connection.current = exchange;
      request.exchange = exchange;
      // It is emitted once, so `once`, which costs more, is not needed.
      reply.raw.on("close", () => finish(exchange));
      return exchange;
    },
    isAnsweredEarly(socket) {
      const connection = (socket as KnownSocket)[known];
      return connection?.current === null && connection.answeredEarly?.complete === false;
    },
    count: () => connections.size,
    areAnswersDue() {
      for (const { current } of connections) if (current !== null && !current.request.isStreaming) return true;
      return false;
    },
    cutOffSlowReaders(now) {
      for (const { current } of connections) if (current?.reply.raw.writableEnded) cutOffIfSlow(current, now);
    },
  };
}

/** Begins the oldest request that waits on the connection. */
function beginNext(connection: Connection): void {
  const { socket, waiting } = connection;
  const next = waiting.shift();
  if (!next) return;
  // Closing, as the last answer may have said: what came behind it is not answered.
  if (socket.destroyed || !socket.writable) {
    waiting.length = 0;
    return;
  }
  connection.readBytes = socket.bytesRead;
  next();
}

/** Ends a connection in the middle of what came on it: a piece of 64 KiB may hold a thousand requests more. */
function stopReading(socket: Socket): void {
  // Node hands each request that it has read to this, and reads no further when the answer is 2, as after an upgrade.
  const { parser } = socket as Socket & { parser?: { onIncoming?: unknown } | null };
  if (parser?.onIncoming) parser.onIncoming = () => 2;
  socket.destroy();
}

const known = Symbol("connection");
type KnownSocket = Socket & { [known]?: Connection };

/** What still comes on them is not read. */
const refusedSockets = new WeakSet<Socket>();
