import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A request whose turn it is on its connection, and its answer, until the connection is done with both. */
export interface Exchange {
  readonly connection: Connection;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** When the request was first in the line of its connection. */
  readonly startedAt: number;
  isDone: boolean;
  /** Its body is there, so it counts as in flight. */
  isInFlight: boolean;
  /** The client it is counted for; null: none, or not yet. */
  share: ClientShare | null;
  /** It is one of those that the client has in flight. */
  isInShare: boolean;
  /** When the service last checked how much of the answer the client had not taken, and how much that was. */
  lookedAt: number;
  untakenBytes: number;
}

/** One connection of a client. */
export interface Connection {
  readonly socket: Socket;
  /** The client of the socket; null: it is not counted. */
  readonly share: ClientShare | null;
  /** The request whose turn it is. It may still wait until the service has time for its client. */
  turn: IncomingMessage | null;
  /** Since when that request has waited for its client's turn; null: it did not have to. */
  waitsSince: number | null;
  /** The exchange of that request, when it is begun. */
  current: Exchange | null;
  /** The requests that have come behind it. */
  readonly waiting: Arrived[];
  /** How much had been read from the socket when the current turn began. */
  readBytes: number;
  /** It was answered before its body had come. */
  answeredEarly: IncomingMessage | null;
  /** The request whose turn it is goes to a lobby, which answers it. */
  isPassedOn: boolean;
  /** Where it is among those that are open. */
  place: number;
}

/** Whose turn a request takes, and whether what waits of it is counted. */
export interface RequestClient {
  readonly client: string;
  readonly isCounted: boolean;
  /** All that comes on the connection is of this client. What a proxy sends may be of anyone. */
  readonly hasOwnConnection: boolean;
}

/** A request that is not begun. */
export interface Arrived {
  readonly raw: IncomingMessage;
  begin(): void;
}

export function createConnection(socket: Socket, share: ClientShare | null): Connection {
  return {
    socket,
    share,
    turn: null,
    waitsSince: null,
    current: null,
    waiting: [],
    readBytes: 0,
    answeredEarly: null,
    isPassedOn: false,
    place: -1,
  };
}

/** The request's turn has come. */
export function createExchange(connection: Connection, request: FastifyRequest, reply: FastifyReply): Exchange {
  return {
    connection,
    request,
    reply,
    startedAt: connection.waitsSince ?? performance.now(),
    isDone: false,
    isInFlight: false,
    share: null,
    isInShare: false,
    lookedAt: 0,
    untakenBytes: 0,
  };
}

/** What one client, or one network of clients, occupies of the service. */
export interface ClientShare {
  readonly client: string;
  /** This one, and the one of the network that the client is in: what is counted here counts there too. */
  readonly counted: readonly ClientShare[];
  connections: number;
  inFlight: number;
  /** Its requests whose answers are not finished; also those that wait for their bodies, and streams. */
  readonly exchanges: Set<Exchange>;
}
