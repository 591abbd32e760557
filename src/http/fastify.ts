import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { bodyMaxBytes, headersMax } from "../ground/limits.ts";

/** The Fastify instance without hooks and routes, with the limits of HTTP itself. */
export function createFastify(parts: {
  newRequestId(): string;
  /** The request is not valid HTTP. */
  answerBroken(error: NodeJS.ErrnoException, socket: Socket): void;
  /** Its path cannot be decoded. */
  answerBadPath(request: FastifyRequest, reply: FastifyReply): void;
}): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => parts.newRequestId(),
    requestIdHeader: false,
    bodyLimit: bodyMaxBytes,
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: false, caseSensitive: true },
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    http: {
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16 * 1024,
      // Node's own answer to a missing Host has no body; Foyer's comes from the first hook.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => parts.answerBroken(error, socket),
    frameworkErrors: (_error, request, reply) => parts.answerBadPath(request as FastifyRequest, reply as FastifyReply),
  });
  // One more than allowed, so that too many can be noticed: Node drops the rest.
  app.server.maxHeadersCount = headersMax + 1;
  return app;
}
