import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config/config.ts";
import { answerRefusal } from "../gateway/answer-refusal.ts";
import { createAskService } from "../gateway/ask-service.ts";
import { createBounds } from "../gateway/bounds.ts";
import { createCheckNode, createNodeReport } from "../gateway/check-node.ts";
import { createForwardToService } from "../gateway/forward-to-service.ts";
import { createGateway } from "../gateway/gateway.ts";
import { isLobbyPath } from "../gateway/lobby-path.ts";
import { createNodeProofs } from "../gateway/node-proof.ts";
import { createRemoteRoutes } from "../gateway/remote-routes.ts";
import { answerHeadMaxMs, connectionQueueMax, headersMax, nodeConnectMaxMs } from "../ground/limits.ts";
import { isLoopback } from "../ground/local-host.ts";
import type { Logger } from "../ground/log.ts";
import { createMetrics } from "../ground/metrics.ts";
import { isRefusal, refuse } from "../operations/refusal.ts";
import { createClientAddress, type ReadAddress } from "./client-address.ts";
import { type Connections, createConnections, type Lobbies } from "./connections.ts";
import { createTls, nameInUrl } from "./listen.ts";
import { createLobbyEdge } from "./lobby-edge.ts";
import { createRateLimits } from "./rate-limits.ts";
import { createRawAnswers } from "./raw-answers.ts";

export interface StandaloneGateway {
  readonly url: string;
  close(): Promise<void>;
}

const checkBlocksEveryMs = 2_000;

/** `foyer gateway`: passes players on to lobbies, and everything else to the service, whose restarts it outlives. */
export async function startStandaloneGateway(parts: {
  readonly config: Config;
  readonly log: Logger;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  /** The service accepts its questions only if their clocks agree. */
  now(): number;
  newRequestId(): string;
}): Promise<StandaloneGateway> {
  const { config, log, newRequestId } = parts;
  let isStopping = false;
  const readAddress = createClientAddress(config.trustedProxies);
  const proofs = createNodeProofs({ ...parts, nodeId: "gateway", now: parts.now });
  const service = createForwardToService(config.serviceUrl, newRequestId);
  const checkEdge = createLobbyEdge({
    // It listens elsewhere than the service.
    ...{ config: { ...config, host: config.gatewayHost }, asksService: true },
    readAddress,
    rates: createRateLimits(config),
    // No node passes requests on to it.
    proofs: { check: () => false },
    turnAway: () =>
      isStopping ? refuse("API_UNAVAILABLE", "The gateway is stopping. Try again shortly.", { retryAfterS: 1 }) : null,
  });
  const gateway = createGateway({
    routes: createRemoteRoutes({
      ask: createAskService(config.serviceUrl, proofs),
      isServiceHere: isLoopback(new URL(config.serviceUrl).hostname.replace(/^\[|\]$/g, "")),
      serviceUrl: config.serviceUrl,
      steadyNow: () => performance.now(),
      wallClock: parts.now,
    }),
    checkEdge,
    bounds: createBounds({ all: config.maxGatewayConnections, perClient: config.maxGatewayConnectionsPerClient }),
    proveNode: proofs.prove,
    headMs: answerHeadMaxMs,
    nodeConnectMs: nodeConnectMaxMs,
    idleMs: config.gatewayIdleS * 1000,
    newRequestId,
    checkNode: createCheckNode(),
    onNodeUnreachable: createNodeReport(log),
    onError: (err, requestId) => log.error({ err, request_id: requestId }, "a request to a lobby failed"),
  });

  function handle(request: IncomingMessage, response: ServerResponse): void {
    if (isLobbyPath(request.url)) {
      gateway.handle(request, response);
      return;
    }
    try {
      const admission = checkEdge(request);
      if (isRefusal(admission)) answerRefusal(response, admission, newRequestId());
      else service.forward(request, response, admission);
    } catch (err) {
      log.error({ err }, "a request to the service failed");
      response.destroy();
    }
  }

  const server = createHttp();
  const lobbies = { handle, upgrade: gateway.upgrade, takes: () => true };
  const connections = watchConnections(server, parts, readAddress, lobbies);
  const timer = setInterval(() => void gateway.closeBlocked().catch(() => undefined), checkBlocksEveryMs).unref();
  const { url, stopListening } = await open(server, parts, readAddress);
  server.on("error", (err) => log.warn({ err }, "a connection could not be accepted"));
  return {
    url,
    async close() {
      isStopping = true;
      clearInterval(timer);
      stopListening();
      const closed = new Promise((resolve) => server.close(resolve));
      gateway.close();
      service.close();
      connections.stop();
      connections.destroyAll();
      await closed;
    },
  };
}

/** The limits of HTTP itself, as the service has them. */
function createHttp(): Server {
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: 15_000,
    keepAliveTimeout: 72_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16 * 1024,
    requireHostHeader: false,
  });
  server.maxHeadersCount = headersMax + 1;
  // The connections take the requests from here.
  server.on("request", () => undefined);
  return server;
}

/** Connections are counted by address, and take one request at a time, as those of the service do. */
function watchConnections(
  server: Server,
  { config, log, newRequestId }: { config: Config; log: Logger; newRequestId(): string },
  readAddress: ReadAddress,
  lobbies: Lobbies,
): Connections {
  const connections = createConnections({
    ...{ config, log, metrics: createMetrics(), readAddress },
    refuseConnection: (refusal, socket) => rawAnswers.refuseConnection(refusal, socket),
    checkLoad: () => null,
    isFull: () => false,
  });
  const rawAnswers = createRawAnswers(config.publicUrl, newRequestId, {
    ...connections,
    isReceiving: () => false,
  });
  server.on("clientError", rawAnswers.answerBroken);
  rawAnswers.answerUnroutable(server, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
  connections.watch(server, lobbies);
  return connections;
}

/** Listens, with TLS if there is a certificate. */
async function open(
  server: Server,
  { config, log, now }: { config: Config; log: Logger; now(): number },
  readAddress: ReadAddress,
): Promise<{ url: string; stopListening(): void }> {
  const { gatewayHost: host, gatewayPort: port } = config;
  const name = nameInUrl(host);
  const tls = createTls({ config, log, now }, { server }, readAddress);
  if (tls !== null) {
    const url = `https://${name}:${await tls.listen(host, port)}`;
    return { url, stopListening: tls.close };
  }
  server.listen({ host, port, backlog: connectionQueueMax });
  await once(server, "listening");
  return { url: `http://${name}:${(server.address() as AddressInfo).port}`, stopListening() {} };
}
