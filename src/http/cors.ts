import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * The matchmaker answers pages of any origin: what a page may do is decided by its token and the namespace's domains.
 * The control plane answers its own origin only. There are no cookies, so nothing is ever sent on a user's behalf.
 */
export function setCorsHeaders(request: FastifyRequest, reply: FastifyReply, publicUrl: string | null): void {
  const { origin } = request.headers;
  const isMatchmaker = request.url.startsWith("/matchmaker/");
  if (isMatchmaker) reply.header("vary", "Origin");
  if (origin === undefined) return;
  if (!isMatchmaker && origin !== (publicUrl ?? `http://${request.headers.host}`)) return;
  reply.header("access-control-allow-origin", origin);
  reply.header("access-control-expose-headers", "x-request-id, retry-after");
}

/** The answer to a browser that asks before it sends. Without the allow-origin header, set above, it means no. */
export function setPreflightHeaders(reply: FastifyReply, methods: readonly string[]): void {
  reply.header("access-control-allow-methods", methods.join(", "));
  reply.header("access-control-allow-headers", "authorization, content-type, idempotency-key");
  reply.header("access-control-max-age", "600");
}
