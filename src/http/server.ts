import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { bodyMaxBytes } from "../limits.ts";
import { type Logger, nowAndThen } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Authenticate } from "../operations/authenticate.ts";
import { type CallerOf, type Handlers, type Mocks, type Refusal, refuse } from "../operations/context.ts";
import { createAdmit } from "./admit.ts";
import { setCorsHeaders, setPreflightHeaders } from "./cors.ts";
import { refusalOf, sendRefusal } from "./errors.ts";
import { createEventStreams } from "./event-stream.ts";
import { headerFault } from "./header-faults.ts";
import { answerOtherMethods } from "./methods.ts";
import { createOverload, type LoadSigns } from "./overload.ts";
import { addPages } from "./pages.ts";
import { addPlayPage, type PlayPage } from "./play.ts";
import { createRawAnswers } from "./raw-answers.ts";
import { addOperations, forgetTypeOfNothing, readBody } from "./routes.ts";
import { useStrictValidation } from "./validation.ts";

export interface ServerParts extends LoadSigns {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly handlers: Handlers;
  readonly mocks: Mocks;
  readonly authenticate: Authenticate;
  /** The example game; null: it is not offered. */
  readonly playPage: PlayPage | null;
  newRequestId(): string;
  /** A refusal when the lobby of an authentic token is gone. */
  checkLobby(caller: CallerOf<"lobby">): Promise<Refusal | null>;
  /** Throws when the service cannot do its work, for `/readyz`. */
  checkReady(): Promise<void>;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  /** From now on `/readyz` and every new request answer 503. */
  beginStopping(): void;
  /** Lets what is under way finish, but not for ever, and closes every connection. */
  close(): Promise<void>;
}

const finishWithinMs = 5_000;

/** The whole HTTP side: every operation of the contract and the service's own pages, on one Fastify instance. */
export function createHttpServer(parts: ServerParts): HttpServer {
  const { config, log, metrics } = parts;
  const rawAnswers = createRawAnswers(config.publicUrl, parts.newRequestId);
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
      // Node's own answer to a missing Host has no body; ours comes from the first hook.
      requireHostHeader: false,
    },
    clientErrorHandler: (fault, socket) => rawAnswers.answerBroken(fault, socket),
    frameworkErrors: (_fault, request, reply) => {
      setCommonHeaders(request as FastifyRequest, reply as FastifyReply);
      return notFound(request as FastifyRequest, reply as FastifyReply);
    },
  });
  const overload = createOverload(config.maxInFlight, metrics, parts);
  const admit = createAdmit(parts);
  let isStopping = false;
  app.decorate("isStopping", () => isStopping);

  function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
    setCorsHeaders(request, reply, config.publicUrl);
  }

  /** Until the connection is done with it: a client that goes away in the middle never gets an answer. */
  function countRequest(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now();
    metrics.requestStarted();
    // It is emitted once, so `once`, which costs more, is not needed.
    reply.raw.on("close", () => {
      const operation = request.routeOptions.config?.operationId ?? "none";
      const ms = performance.now() - startedAt;
      if (!request.isStreaming) metrics.requestDone(operation, reply.statusCode, ms / 1000);
      if (!log.isLevelEnabled("debug")) return;
      log.debug({ request_id: request.id, operation, status: reply.statusCode, ms: Math.round(ms) }, "request");
    });
  }

  app.addHook("onRequest", (request, reply, done) => {
    setCommonHeaders(request, reply);
    countRequest(request, reply);
    forgetTypeOfNothing(request.headers);
    const badHeader = headerFault(request.raw);
    if (badHeader !== null) {
      // Where its body ends may be seen differently elsewhere, so nothing after it is read.
      reply.header("connection", "close");
      sendRefusal(reply, request.id, refuse("API_BAD_HEADER", badHeader));
      return;
    }
    if (request.is404 || hasEmptyPart(request)) {
      notFound(request, reply);
      return;
    }
    if ((isStopping || overload.isOverloaded()) && request.routeOptions.url !== "/healthz") {
      metrics.requestShed();
      metrics.requestUnavailable(isStopping ? "stopping" : "overload");
      const message = isStopping ? "The service is stopping." : "The service is overloaded.";
      sendRefusal(reply, request.id, refuse("API_UNAVAILABLE", `${message} Try again shortly.`, { retryAfterS: 1 }));
      return;
    }
    done();
  });
  useStrictValidation(app);
  readBody(app);
  const sayUnavailable = nowAndThen((first: object, failed) =>
    log.error({ ...first, failed }, "requests fail because a store is away"),
  );
  app.setErrorHandler(async (fault, request, reply) => {
    if (request.raw.destroyed && !request.raw.complete) {
      log.debug({ request_id: request.id }, "the client went away in the middle of its request");
      return sendRefusal(reply, request.id, refuse("API_BAD_BODY", "The request is incomplete."));
    }
    const refusal = refusalOf(fault, request);
    if (isOurs(refusal)) return answerOurs(fault, refusal, request, reply);
    // That a token is good comes before that its body is not. Of a lobby's token only the engine knows, and it is asked
    // here, where something is wrong anyway, instead of before every call.
    const caller = request.admitted?.caller;
    if (caller?.kind !== "lobby") return sendRefusal(reply, request.id, refusal);
    try {
      return sendRefusal(reply, request.id, (await parts.checkLobby(caller)) ?? refusal);
    } catch (unknown) {
      // Nothing catches what this handler throws: Fastify would answer in its own words.
      return answerOurs(unknown, refusalOf(unknown, request), request, reply);
    }
  });

  /** Something failed here, or behind the service, and not in the request. */
  function answerOurs(fault: unknown, refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const operation = request.routeOptions.config?.operationId;
    if (refusal.code === "API_INTERNAL")
      log.error({ err: fault, request_id: request.id, operation }, "a request failed");
    else {
      metrics.requestUnavailable((fault as Error).name === "EngineUnavailable" ? "live_state" : "store");
      sayUnavailable({ err: fault, request_id: request.id, operation });
    }
    return sendRefusal(reply, request.id, refusal);
  }
  app.setNotFoundHandler(notFound);

  function notFound(request: FastifyRequest, reply: FastifyReply) {
    const path = request.url.split("?", 1)[0]!;
    const message = `There is nothing at ${path.slice(0, 200)}. /docs lists what there is.`;
    return sendRefusal(reply, request.id, refuse("API_NOT_FOUND", message));
  }

  const completeMethods = answerOtherMethods(app, (request, reply, allowed) => {
    reply.header("allow", allowed.join(", "));
    if (request.method !== "OPTIONS") {
      const message = `${request.method} is not possible here; possible: ${allowed.join(", ")}.`;
      return sendRefusal(reply, request.id, refuse("API_METHOD_NOT_ALLOWED", message));
    }
    const wrongHost = admit.checkHost(request);
    if (wrongHost) return sendRefusal(reply, request.id, wrongHost);
    setPreflightHeaders(reply, allowed);
    return reply.code(204).send();
  });
  const streams = createEventStreams(parts);
  addOperations(app, parts, admit, streams);
  addPages(app, {
    openApi: openApiDocument(config.publicUrl),
    checkReady: parts.checkReady,
    checkHost: admit.checkHost,
    hasDemo: parts.playPage !== null,
  });
  if (parts.playPage) addPlayPage(app, parts.playPage, admit.checkHost);
  rawAnswers.answerUnroutable(app.server, completeMethods());
  app.addHook("onClose", () => {
    overload.stop();
    streams.endAll();
  });

  return {
    app,
    beginStopping() {
      isStopping = true;
      streams.endAll();
    },
    async close() {
      const closed = app.close();
      const endsAt = performance.now() + finishWithinMs;
      while (metrics.inFlight() > 0 && performance.now() < endsAt) await sleep(20);
      // Also those that were opened and never used, which node does not count as idle.
      app.server.closeAllConnections();
      await closed;
    },
  };
}

const isOurs = ({ code }: Refusal) => code === "API_INTERNAL" || code === "API_UNAVAILABLE";

/** An id or a name that is empty: `/cloud/games/` is not the path of a game. */
function hasEmptyPart({ url, params }: FastifyRequest): boolean {
  if (!url.includes("//") && !/\/(?:\?|$)/.test(url)) return false;
  return Object.values(params as Record<string, string>).includes("");
}
