import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { isLobbyPath } from "../gateway/lobby-path.ts";
import { answerPieceBytes, answerPieceMs, requestsBehindMax } from "../ground/limits.ts";
import type { ClientAddress } from "./client-address.ts";
import type { ClientShare, LimitedRequest } from "./limits.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the first hook. */
    exchange: Exchange;
  }
}

/** A request that has come on a connection, and its answer, until the connection is done with both. */
export interface Exchange extends LimitedRequest {
  readonly connection: Connection;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  readonly address: ClientAddress;
  /** A probe, or a request for a lobby: it needs no room. */
  readonly isUrgent: boolean;
  /** Null: it has not begun, or a lobby answers it. */
  request: FastifyRequest | null;
  /** It waited for its turn longer than any request should. */
  isLate: boolean;
  /** When the service last checked how much of the answer the client had not taken, and how much that was. */
  lookedAt: number;
  untakenBytes: number;
}

/** One connection of a client. It carries one request at a time. */
export interface Connection {
  readonly socket: Socket;
  readonly share: ClientShare | null;
  current: Exchange | null;
  /** How many requests came before the current one was answered. With one, the answer to that is the last. */
  behind: number;
  /** Begins the next request, which came when the answer to the current one was written, but perhaps not yet sent. */
  next: (() => void) | null;
  /** It was answered before its body had come. */
  answeredEarly: IncomingMessage | null;
  /** Where it is among those that are open. */
  place: number;
}

export interface OpenRequest {
  readonly raw: IncomingMessage;
  /** Its answer has begun, or is out. */
  readonly isAnswered: boolean;
  /** Its answer ends only with the connection. */
  readonly isStreaming: boolean;
}

/** Something has come behind the current request, if there is one: the answer to that is the last. */
export function comesBehind(socket: Socket): boolean {
  const connection = connectionOf(socket);
  if (connection.current === null) return false;
  connection.behind += 1;
  connection.current.response.shouldKeepAlive = false;
  if (connection.behind > requestsBehindMax) socket.destroy();
  return true;
}

export function openRequestOf({ current, answeredEarly }: Connection): OpenRequest | null {
  if (current !== null) {
    const isStreaming = current.request?.isStreaming ?? false;
    return { raw: current.raw, isAnswered: current.response.headersSent, isStreaming };
  }
  return answeredEarly?.complete === false ? { raw: answeredEarly, isAnswered: true, isStreaming: false } : null;
}

export function isAnswerDue({ current }: Connection): boolean {
  return current !== null && !isLobbyPath(current.raw.url) && !current.request?.isStreaming;
}

export const known = Symbol("connection");
export type KnownSocket = Socket & { [known]?: Connection };

export function connectionOf(socket: KnownSocket): Connection {
  socket[known] ??= createConnection(socket, null);
  return socket[known];
}

export function createConnection(socket: Socket, share: ClientShare | null): Connection {
  return { socket, share, current: null, behind: 0, next: null, answeredEarly: null, place: -1 };
}

export function createExchange(
  connection: Connection,
  raw: IncomingMessage,
  response: ServerResponse,
  address: ClientAddress,
): Exchange {
  return {
    connection,
    socket: connection.socket,
    connectionShare: connection.share,
    raw,
    response,
    startedAt: performance.now(),
    address,
    isUrgent: isUrgent(raw),
    request: null,
    isLate: false,
    isDone: false,
    share: null,
    isInFlight: false,
    isInShare: false,
    lookedAt: 0,
    untakenBytes: 0,
  };
}

/**
 * The connections that are open now, in no order. An array, not a set, whose old tables would keep sockets alive
 * (docs/decisions/0018).
 */
export function createOpenConnections() {
  const open: Connection[] = [];
  return {
    all: (): readonly Connection[] => open,
    add(connection: Connection): void {
      connection.place = open.length;
      open.push(connection);
    },
    delete(connection: Connection): void {
      const last = open.pop();
      if (last === undefined || last === connection) return;
      open[connection.place] = last;
      last.place = connection.place;
    },
  };
}

/** Probes must not fail because others wait, and lobbies answer their requests themselves. */
function isUrgent({ url = "" }: IncomingMessage): boolean {
  return probe.test(url) || isLobbyPath(url);
}

const probe = /^\/(?:healthz|readyz|ping)(?:\?|$)/;

/** Disconnects clients that have read too little of an answer since the last check. Call it every few seconds. */
export function cutOffSlowReaders(connections: readonly Connection[]): void {
  const now = performance.now();
  for (const { current, socket } of connections) {
    if (!current?.response.writableEnded) continue;
    const isFirst = current.lookedAt === 0;
    if (!isFirst && now - current.lookedAt < answerPieceMs) continue;
    const untakenBytes = countUntakenBytes(socket);
    if (!isFirst && current.untakenBytes - untakenBytes < answerPieceBytes) {
      socket.destroy();
      continue;
    }
    current.lookedAt = now;
    current.untakenBytes = untakenBytes;
  }
}

/** The bytes that the system has not yet accepted for the client. */
function countUntakenBytes(socket: Socket): number {
  // The public count decreases only when a whole piece was accepted, and an answer is one piece.
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}

export type OpenConnections = ReturnType<typeof createOpenConnections>;
