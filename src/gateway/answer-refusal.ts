import type { ServerResponse } from "node:http";
import { errorTable } from "../contract/errors.ts";
import { errorText, type Refusal } from "../operations/refusal.ts";

/** Answers with the error body. The page of any origin may read it: it says nothing about the lobby's content. */
export function answerRefusal(response: ServerResponse, refusal: Refusal, requestId: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { status } = errorTable[refusal.code];
  const body = errorText(refusal, requestId);
  // A body that is not read, or input that is not HTTP, may follow.
  const isLast = !response.req.complete || !response.shouldKeepAlive || status === 400 || status === 503;
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "x-request-id, retry-after",
    ...(refusal.retryAfterS !== null && { "retry-after": String(refusal.retryAfterS) }),
    ...(status === 405 && { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }),
    ...(status === 426 && { upgrade: "websocket" }),
    ...(isLast ? { connection: "close" } : status === 426 && { connection: "upgrade" }),
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
