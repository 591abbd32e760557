import type { Socket } from "node:net";
import { answerPieceBytes, answerPieceMs } from "../ground/limits.ts";
import type { Exchange } from "./exchange.ts";

/** Disconnects a client that has read too little of an answer since the last check. */
export function cutOffIfSlow(exchange: Exchange, now: number): void {
  const { socket } = exchange.connection;
  const untakenBytes = countUntakenBytes(socket);
  const isFirst = exchange.lookedAt === 0;
  if (!isFirst && now - exchange.lookedAt < answerPieceMs) return;
  if (!isFirst && exchange.untakenBytes - untakenBytes < answerPieceBytes) {
    socket.destroy();
    return;
  }
  exchange.lookedAt = now;
  exchange.untakenBytes = untakenBytes;
}

/** The bytes that the system has not yet accepted for the client. */
function countUntakenBytes(socket: Socket): number {
  // The public count decreases only when a whole piece was accepted, and an answer is one piece.
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}
