import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { openApi30Document } from "../contract/openapi-3.0.ts";
import { bodyMaxBytes, headersMax } from "../ground/limits.ts";
import { type Logger, nowAndThen } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import { EngineUnavailable } from "../ground/unavailable.ts";
import type { Authenticate } from "../operations/auth/authenticate.ts";
import type { CallerOf } from "../operations/callers.ts";
import type { Mocks, ServedHandlers } from "../operations/handlers.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { createAdmit } from "./admit.ts";
import { createClientAddress } from "./client-address.ts";
import { setCorsHeaders, setPreflightHeaders } from "./cors.ts";
import { refusalOf, sendRefusal } from "./errors.ts";
import { headerFault } from "./header-faults.ts";
import { createInFlight } from "./in-flight.ts";
import { answerOtherMethods } from "./methods.ts";
import { createOverload, type LoadSigns } from "./overload.ts";
import { addPages } from "./pages/pages.ts";
import { addPlayPage, type PlayPage } from "./pages/play.ts";
import { createRawAnswers } from "./raw-answers.ts";
import { addOperations, forgetBody, forgetTypeOfNothing, hasBody, readBody } from "./routes.ts";
import { createEventStreams } from "./sse/streams.ts";
import { useStrictValidation } from "./validation.ts";

export interface ServerParts extends LoadSigns {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly handlers: ServedHandlers;
  readonly mocks: Mocks;
  readonly authenticate: Authenticate;
  readonly checkClient: Parameters<typeof createAdmit>[0]["checkClient"];
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
  const addressOf = createClientAddress(config.trustedProxies, () =>
    log.warn(
      "a proxy on this machine sends forwarding headers that are not believed, so that all its clients share one rate limit: add it to trusted_proxies",
    ),
  );
  const overload = createOverload(config.maxInFlight, metrics, parts);
  const inFlight = createInFlight({
    config,
    log,
    metrics,
    addressOf,
    refuseConnection: (refusal, socket) => rawAnswers.refuseConnection(refusal, socket),
    checkLoad: () => (overload.isOverloaded() ? turnedAway("overload") : null),
  });
  const { connections } = inFlight;
  const rawAnswers = createRawAnswers(config.publicUrl, parts.newRequestId, connections.isAnsweredEarly);
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
    frameworkErrors: (_fault, request, reply) =>
      inFlight.inTurn(request as FastifyRequest, reply as FastifyReply, refuseBadPath, () => {}),
  });
  connections.watch(app.server);
  // One more than is taken, so that there being too many can be seen: node leaves out the rest.
  app.server.maxHeadersCount = headersMax + 1;
  const admit = createAdmit({ ...parts, addressOf, checkShare: inFlight.admit });
  let isStopping = false;
  app.decorate("isStopping", () => isStopping);

  function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
    setCorsHeaders(request, reply, config.publicUrl);
  }

  function turnedAway(cause: "overload" | "stopping"): Refusal {
    metrics.requestShed();
    metrics.requestUnavailable(cause);
    const message = cause === "stopping" ? "The service is stopping." : "The service is overloaded.";
    return refuse("API_UNAVAILABLE", `${message} Try again shortly.`, { retryAfterS: 1 });
  }

  function refuseBadPath(request: FastifyRequest, reply: FastifyReply): void {
    setCommonHeaders(request, reply);
    notFound(request, reply);
  }

  function begin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    setCommonHeaders(request, reply);
    const badHeader = headerFault(request.raw);
    if (badHeader !== null) {
      // Where its body ends may be seen differently elsewhere, so nothing after it is read.
      reply.header("connection", "close");
      sendRefusal(reply, request.id, refuse("API_BAD_HEADER", badHeader));
      return;
    }
    const isOperation = request.routeOptions.config?.operationId !== undefined;
    if (isOperation) forgetTypeOfNothing(request.headers);
    // The service's own pages take no fields, so there is nothing to wait for.
    else forgetBody(request.headers);
    if (request.is404 || hasEmptyPart(request)) return void notFound(request, reply);
    if (request.routeOptions.url !== "/healthz") {
      if (isStopping) return void sendRefusal(reply, request.id, turnedAway("stopping"));
      if (overload.isOverloaded()) return void sendRefusal(reply, request.id, turnedAway("overload"));
    }
    if (!hasBody(request.headers)) inFlight.count(request);
    done();
  }

  app.decorateRequest("exchange");
  app.addHook("onRequest", (request, reply, done) => inFlight.inTurn(request, reply, begin, done));
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
      metrics.requestUnavailable(fault instanceof EngineUnavailable ? "live_state" : "store");
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
  addOperations(app, parts, { ...admit, enter: inFlight.enter }, streams);
  addPages(app, {
    openApi: openApiDocument(config.publicUrl),
    openApi30: openApi30Document(config.publicUrl),
    checkReady: parts.checkReady,
    admit,
    hasDemo: parts.playPage !== null,
  });
  if (parts.playPage) addPlayPage(app, parts.playPage, admit);
  rawAnswers.answerUnroutable(app.server, completeMethods());
  app.addHook("onClose", () => {
    overload.stop();
    inFlight.stop();
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
      while (connections.areAnswersDue() && performance.now() < endsAt) await sleep(20);
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
