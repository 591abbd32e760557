import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isOwnName } from "../ground/local-host.ts";

/**
 * CORS headers (docs/decisions/0005). The matchmaker answers pages of any origin: what a page may do is decided by its
 * token and the namespace's domains. The control plane answers its own origin only. There are no cookies, so browsers
 * never send credentials by themselves.
 */
export function setCorsHeaders(request: FastifyRequest, reply: FastifyReply, publicUrl: string | null): void {
  if (isForPages(request.raw)) reply.header("vary", "Origin");
  const origin = allowedOrigin(request.raw, publicUrl);
  if (origin === undefined) return;
  reply.header("access-control-allow-origin", origin);
  reply.header("access-control-expose-headers", exposedHeaders);
}

/**
 * The same for an answer that no route gives. Input that is not a valid request (null) has no path and no origin; the
 * answer only says that, so any page may read it.
 */
export function buildCorsHeaders(request: IncomingMessage | null, publicUrl: string | null): Record<string, string> {
  const origin = request === null ? "*" : allowedOrigin(request, publicUrl);
  return {
    ...(request !== null && isForPages(request) && { vary: "Origin" }),
    ...(origin !== undefined && {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": exposedHeaders,
    }),
  };
}

/** The answer to a preflight request. Without the allow-origin header, set above, the browser sends nothing. */
export function setPreflightHeaders(reply: FastifyReply, methods: readonly string[]): void {
  reply.header("access-control-allow-methods", methods.join(", "));
  reply.header("access-control-allow-headers", "authorization, content-type, idempotency-key, last-event-id");
  reply.header("access-control-max-age", "600");
}

const exposedHeaders = "x-request-id, retry-after";

const isForPages = ({ url }: IncomingMessage) => url!.startsWith("/matchmaker/");

export const isEncrypted = ({ socket }: IncomingMessage) => (socket as TLSSocket).encrypted === true;

/**
 * Whether the request comes from a page of the service itself, or from a program, which sends no origin. Behind a
 * public address pages may still be opened on this machine, where Foyer checks the host.
 */
export function isOwnOrigin(request: IncomingMessage, publicUrl: string | null): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === publicUrl) return true;
  const isAddressed = origin === `${isEncrypted(request) ? "https" : "http"}://${host}`;
  return isAddressed && (publicUrl === null || isOwnName(host ?? ""));
}

/** The request's origin if pages of it may read the answer. */
function allowedOrigin(request: IncomingMessage, publicUrl: string | null): string | undefined {
  const { origin, host } = request.headers;
  if (origin === undefined || isForPages(request)) return origin;
  return origin === (publicUrl ?? `${isEncrypted(request) ? "https" : "http"}://${host}`) ? origin : undefined;
}
