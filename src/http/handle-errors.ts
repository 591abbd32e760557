import type { FastifyReply, FastifyRequest } from "fastify";
import { type Logger, throttled } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import { EngineUnavailable } from "../ground/unavailable.ts";
import type { CallerOf } from "../operations/callers.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { sendRefusal, toRefusal } from "./errors.ts";

export interface ErrorParts {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** A refusal when the lobby of an authentic token has ended. */
  checkLobby(caller: CallerOf<"lobby">): Promise<Refusal | null>;
}

/** Fastify's error handler, for refusals of hooks and parsers and for thrown errors. */
export function createHandleError({ log, metrics, checkLobby }: ErrorParts) {
  const logUnavailable = throttled((first: object, failed) =>
    log.error({ ...first, failed }, "requests fail because a store is unavailable"),
  );

  /** An error of the service or its stores, not of the request. */
  function answerOwnError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = toRefusal(error, request);
    const operation = request.routeOptions.config?.operationId;
    if (refusal.code === "API_INTERNAL") {
      log.error({ err: error, request_id: request.id, operation }, "a request failed");
    } else {
      metrics.requestUnavailable(error instanceof EngineUnavailable ? "live_state" : "store");
      logUnavailable({ err: error, request_id: request.id, operation });
    }
    return sendRefusal(reply, request.id, refusal);
  }

  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.raw.destroyed && !request.raw.complete) {
      log.debug({ request_id: request.id }, "the client disconnected during its request");
      return sendRefusal(reply, request.id, refuse("API_BAD_BODY", "The request is incomplete."));
    }
    const refusal = toRefusal(error, request);
    if (isOwnError(refusal)) return answerOwnError(error, request, reply);
    // An invalid token is reported before an invalid body. Only the engine knows whether a lobby token is valid; it is
    // asked here, after an error, instead of before every call.
    const caller = request.admitted?.caller;
    if (caller?.kind !== "lobby") return sendRefusal(reply, request.id, refusal);
    try {
      return sendRefusal(reply, request.id, (await checkLobby(caller)) ?? refusal);
    } catch (unknown) {
      // No code catches an error of this handler: Fastify would answer in its own format.
      return answerOwnError(unknown, request, reply);
    }
  };
}

const isOwnError = ({ code }: Refusal) => code === "API_INTERNAL" || code === "API_UNAVAILABLE";
