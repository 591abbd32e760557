import type { Config } from "../config/config.ts";
import { createAnswerLookup } from "../gateway/answer-lookup.ts";
import { createBounds } from "../gateway/bounds.ts";
import { createCheckNode, createNodeReport } from "../gateway/check-node.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { isLobbyPath } from "../gateway/lobby-path.ts";
import type { NodeProofs } from "../gateway/node-proof.ts";
import { answerHeadMaxMs, nodeConnectMaxMs } from "../ground/limits.ts";
import { type Logger, throttled } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import type { Refusal } from "../operations/refusal.ts";
import type { LobbyDescription } from "../operations/routing/lobby-description.ts";
import type { Routes } from "../operations/routing/routes.ts";
import type { Admit } from "./admit.ts";
import type { ReadAddress } from "./client-address.ts";
import type { Lobbies } from "./connections.ts";
import { createLobbyEdge } from "./lobby-edge.ts";

export interface LobbyGateway extends Lobbies, Pick<Gateway, "close" | "isReceiving"> {}

export interface LobbyGatewayParts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly routes: Routes;
  readonly proofs: NodeProofs;
  /** Describes a lobby to `foyer gateway`. */
  describe(lobbyId: string): Promise<LobbyDescription | null>;
  readonly readAddress: ReadAddress;
  readonly admit: Pick<Admit, "rates">;
  newRequestId(): string;
  turnAway(): Refusal | null;
}

const checkBlocksEveryMs = 1_000;

/** The gateway on the port of the service, behind the same checks as its other requests. */
export function createLobbyGateway(parts: LobbyGatewayParts): LobbyGateway {
  const { config, log, metrics, routes, proofs, readAddress, newRequestId, turnAway } = parts;
  const bounds = createBounds({
    all: config.maxGatewayConnections,
    perClient: config.maxGatewayConnectionsPerClient,
  });
  metrics.gauge("foyer_gateway_connections", "Connections to lobbies through the gateway.", bounds.count);
  const gateway = createGateway({
    routes,
    bounds,
    checkEdge: createLobbyEdge({ config, readAddress, rates: parts.admit.rates, proofs, turnAway }),
    proveNode: proofs.prove,
    headMs: answerHeadMaxMs,
    nodeConnectMs: nodeConnectMaxMs,
    idleMs: config.gatewayIdleS * 1000,
    newRequestId,
    checkNode: createCheckNode(),
    onNodeUnreachable: createNodeReport(log),
    onError: (error, requestId) => log.error({ err: error, request_id: requestId }, "a request to a lobby failed"),
  });
  const onError = throttled((err: unknown) =>
    log.warn({ err }, "blocked clients could not be looked up; Foyer tries again"),
  );
  const timer = setInterval(() => void gateway.closeBlocked().catch(onError), checkBlocksEveryMs).unref();
  const answerLookup = createAnswerLookup({ proofs, describe: parts.describe, newRequestId });
  return {
    takes: isLobbyPath,
    handle(request, response) {
      if (!answerLookup(request, response)) gateway.handle(request, response);
    },
    upgrade: gateway.upgrade,
    isReceiving: gateway.isReceiving,
    close() {
      clearInterval(timer);
      gateway.close();
    },
  };
}
