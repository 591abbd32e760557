import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { openApi30Document } from "../contract/openapi-3.0.ts";
import type { Logger } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import type { Authenticate } from "../operations/auth/authenticate.ts";
import type { Mocks, ServedHandlers } from "../operations/handlers.ts";
import { refuse } from "../operations/refusal.ts";
import { type Admit, type AdmitParts, createAdmit } from "./admit.ts";
import { createBeginRequest, sendNotFound } from "./begin-request.ts";
import { createClientAddress } from "./client-address.ts";
import { type Connections, createConnections } from "./connections.ts";
import { setPreflightHeaders } from "./cors.ts";
import { sendRefusal } from "./errors.ts";
import { createFastify } from "./fastify.ts";
import { createHandleError, type ErrorParts } from "./handle-errors.ts";
import { createLoad, type LoadSigns, turnAway } from "./limits.ts";
import { createTls, listen, type ServiceUrls } from "./listen.ts";
import { createLobbyGateway, type LobbyGateway, type LobbyGatewayParts } from "./lobby-gateway.ts";
import { answerOtherMethods, type OtherMethods } from "./methods.ts";
import { addDashboard, type Dashboard } from "./pages/dashboard.ts";
import { addDocs } from "./pages/docs.ts";
import { addPages } from "./pages/pages.ts";
import { addPlayPage, type PlayPage } from "./pages/play.ts";
import { createRawAnswers } from "./raw-answers.ts";
import { readBody } from "./request-body.ts";
import { addOperations } from "./routes.ts";
import { createEventStreams, type EventStreams } from "./sse/streams.ts";
import { createUploads, type Uploads } from "./uploads.ts";
import { useStrictValidation } from "./validation.ts";

export interface ServerParts extends LoadSigns, ErrorParts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly handlers: ServedHandlers;
  readonly mocks: Mocks;
  readonly authenticate: Authenticate;
  readonly checkClient: AdmitParts["checkClient"];
  /** Null: it is not built. */
  readonly dashboard: Dashboard | null;
  /** The demo game; null: it is not offered. */
  readonly playPage: PlayPage | null;
  /** What passes players on to lobbies; null: there is no gateway. */
  readonly lobbies: Pick<LobbyGatewayParts, "routes" | "proofs" | "describe"> | null;
  /** For the end of the TLS certificate. */
  now(): number;
  newRequestId(): string;
  /** Throws when the service cannot do its work, for `/readyz`. */
  checkReady(): Promise<void>;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  /** Requests arrive as soon as a port is open, a little before this returns. */
  listen(): Promise<ServiceUrls>;
  /** From now on `/readyz` and every new request answer 503. */
  beginStopping(): void;
  /** Waits for the requests in flight for a limited time, and closes every connection. */
  close(): Promise<void>;
}

const finishWithinMs = 5_000;
const mebibyte = 1024 * 1024;

/** The HTTP server: every operation of the contract and the service's own pages, on one Fastify instance. */
export function createHttpServer(parts: ServerParts): HttpServer {
  const { config, log, metrics, newRequestId } = parts;
  let isStopping = false;
  const readAddress = createClientAddress(config.trustedProxies, () => log.warn(unbelievedProxy));
  const load = createLoad(config.maxInFlight, metrics, parts);
  const checkLoad = (isLate = false) => (isLate || load.isOverloaded() ? turnAway(metrics, "overload") : null);
  const connections = createConnections({
    config,
    log,
    metrics,
    readAddress,
    refuseConnection: (refusal, socket) => rawAnswers.refuseConnection(refusal, socket),
    checkLoad,
    isFull: load.isFull,
  });
  const uploads = createUploads(config.buildMaxMib * mebibyte);
  const rawAnswers = createRawAnswers(config.publicUrl, newRequestId, {
    ...connections,
    isReceiving: (socket) => uploads.isReceiving(socket) || gateway?.isReceiving(socket) === true,
  });
  const admit = createAdmit({ ...parts, checkShare: connections.admit });
  const turnAwayStopping = () => (isStopping ? turnAway(metrics, "stopping") : null);
  const { begin, refuseBadPath } = createBeginRequest({
    publicUrl: config.publicUrl,
    countMiss: admit.countMiss,
    turnAway: (request) => turnAwayStopping() ?? checkLoad(request.exchange.isLate),
    allowedAt: ({ method, url }) =>
      otherMethods.possible.includes(method) ? null : otherMethods.allowedAt(url.split("?", 1)[0]!),
    answerMethod: (request, reply, allowed) => void answerMethod(admit, request, reply, allowed),
    count: connections.count,
  });
  const app = createFastify({
    newRequestId,
    answerBroken: rawAnswers.answerBroken,
    answerBadPath(request, reply) {
      connections.follow(request);
      refuseBadPath(request, reply);
    },
  });
  const gateway =
    parts.lobbies && createLobbyGateway({ ...parts, ...parts.lobbies, readAddress, admit, turnAway: turnAwayStopping });
  connections.watch(app.server, gateway);
  app.decorate("isStopping", () => isStopping);
  app.decorateRequest("exchange");
  app.addHook("onRequest", (request, reply, done) => {
    connections.follow(request);
    begin(request, reply, done);
  });
  useStrictValidation(app);
  readBody(app, connections.whenTimely);
  app.setErrorHandler(createHandleError(parts));
  app.setNotFoundHandler(sendNotFound);

  const streams = createEventStreams(parts);
  const otherMethods = addRoutes(app, parts, { admit, connections, streams, uploads });
  rawAnswers.answerUnroutable(app.server, otherMethods.possible);
  app.addHook("onClose", () => {
    load.stop();
    connections.stop();
    streams.endAll();
  });

  const tls = createTls(parts, app, readAddress);
  app.addHook("onClose", () => tls?.close());

  return {
    app,
    listen: () => listen(config, app, tls),
    beginStopping() {
      isStopping = true;
      connections.beginStopping();
      streams.endAll();
      uploads.endAll(refuse("API_UNAVAILABLE", "The service is stopping. Try again shortly.", { retryAfterS: 1 }));
    },
    close: () => close(app, connections, gateway),
  };
}

const unbelievedProxy =
  "a proxy on this machine sends forwarding headers, but it is not trusted, so all its clients share one rate limit: add it to trusted_proxies";

/** Adds every route, and an answer to every other method. */
function addRoutes(
  app: FastifyInstance,
  parts: ServerParts,
  {
    admit,
    connections,
    ...bodies
  }: { admit: Admit; connections: Connections; streams: EventStreams; uploads: Uploads },
): OtherMethods {
  const completeMethods = answerOtherMethods(app, (request, reply, allowed) =>
    answerMethod(admit, request, reply, allowed),
  );
  addOperations(app, parts, { ...admit, enter: connections.enter }, bodies);
  const openApi = openApiDocument(parts.config.publicUrl);
  addPages(app, {
    openApi,
    openApi30: openApi30Document(openApi),
    checkReady: parts.checkReady,
    admit,
  });
  addDashboard(app, parts.dashboard, admit);
  addDocs(app, admit);
  if (parts.playPage) addPlayPage(app, parts.playPage, admit);
  return completeMethods();
}

/** Answers a method that the path has no operation for. */
function answerMethod(
  { checkHost, countMiss }: Admit,
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: readonly string[],
): FastifyReply {
  reply.header("allow", allowed.join(", "));
  if (request.method !== "OPTIONS") {
    countMiss(request, reply);
    const message = `${request.method} is not allowed for this path. Allowed: ${allowed.join(", ")}.`;
    return sendRefusal(reply, request.id, refuse("API_METHOD_NOT_ALLOWED", message));
  }
  const wrongHost = checkHost(request.raw);
  if (wrongHost) return sendRefusal(reply, request.id, wrongHost);
  setPreflightHeaders(reply, allowed);
  return reply.code(204).send();
}

async function close(app: FastifyInstance, connections: Connections, gateway: LobbyGateway | null): Promise<void> {
  const closed = app.close();
  const endsAt = performance.now() + finishWithinMs;
  while (connections.areAnswersDue() && performance.now() < endsAt) await sleep(20);
  // Includes connections that were opened and never used, which Node does not count as idle.
  gateway?.close();
  app.server.closeAllConnections();
  connections.destroyAll();
  await closed;
}
