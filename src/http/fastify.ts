import type { Socket } from "node:net";
import fastJson from "fast-json-stringify";
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
  app.setSerializerCompiler(({ schema }) => {
    let serialize: Serialize | undefined;
    return (reply) => {
      // When the first reply of its kind is sent: a start would wait for the hundreds that there are.
      serialize ??= serializerOf(schema);
      return serialize(reply);
    };
  });
  return app;
}

type Serialize = (reply: unknown) => string;

/** For all services of the process. */
const serializers = new WeakMap<object, Serialize>();

function serializerOf(schema: object): Serialize {
  const known = serializers.get(schema);
  if (known) return known;

  const compiled = fastJson(schema);
  serializers.set(schema, compiled);
  return compiled;
}
