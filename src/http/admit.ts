import { performance } from "node:perf_hooks";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import type { Operation, RateClass } from "../contract/define.ts";
import { isLoopback, isOwnName } from "../ground/local-host.ts";
import { type Counted, createRates, takeForClient } from "../ground/rates.ts";
import type { Authenticate, Authenticated } from "../operations/auth/authenticate.ts";
import type { Caller, Client } from "../operations/callers.ts";
import { parsePlace } from "../operations/matchmaking/geo.ts";
import { isRefusal, type Refusal, refuse } from "../operations/refusal.ts";
import type { AddressOf, ClientAddress } from "./client-address.ts";

type Verdict = Admitted | Refusal;

/** Who is asking, and from where. */
export interface Admitted {
  readonly caller: Caller;
  readonly client: Client;
}

export interface Admit {
  /** Host, rate limits and token, in the contract's order, before the body is looked at. */
  admit(operation: Operation, request: FastifyRequest, reply: FastifyReply): Verdict | Promise<Verdict>;
  /** null: the host is fine. */
  checkHost(request: FastifyRequest): Refusal | null;
  /** The host, and that the client does not have too much under way: what probes look at. */
  checkProbe(request: FastifyRequest): Refusal | null;
  /** The same, and that the client has not asked for too many of the service's own pages. */
  admitPage(request: FastifyRequest, reply: FastifyReply): Refusal | null;
}

/** These are counted by the client's address, and so before its token is looked at; the others by token. */
const clientClasses: ReadonlySet<RateClass> = new Set(["find", "create", "list"]);

export function createAdmit(parts: {
  config: Config;
  authenticate: Authenticate;
  /** Null, now or later: the namespace of the caller serves this client. */
  checkClient(caller: Caller, client: Client): Promise<Refusal | null> | null;
  addressOf: AddressOf;
  /** A refusal when the client of the request has too much under way. */
  checkShare(request: FastifyRequest, address: ClientAddress): Refusal | null;
}): Admit {
  const { config, addressOf, checkShare } = parts;
  const rates = createRates();
  const perMinute: Record<RateClass, number> = {
    find: config.rateFind,
    create: config.rateCreate,
    list: config.rateList,
    lobby: config.rateLobby,
    server: config.rateServer,
    cloud: config.rateCloud,
  };
  const isLoopbackOnly = isLoopback(config.host);
  const publicHost = config.publicUrl === null ? null : new URL(config.publicUrl).hostname;

  /** Counts one request of a client or a token; a refusal when it is one too many. */
  function count(rateClass: string, of: Counted, limit: number, reply: FastifyReply): Refusal | null {
    const taken = takeForClient(rates, rateClass, of, limit, performance.now());
    if (!taken) return null;
    reply.header("ratelimit-limit", String(taken.limit));
    reply.header("ratelimit-remaining", String(taken.remaining));
    reply.header("ratelimit-reset", String(taken.resetS));
    if (taken.allowed) return null;
    const message = `More than ${taken.limit} requests a minute. Try again in ${taken.resetS} seconds.`;
    return refuse("API_RATE_LIMIT", message, { retryAfterS: taken.resetS });
  }

  /** Nearly every request has the same one. */
  let lastGoodHost: string | undefined;

  function checkHost(request: FastifyRequest): Refusal | null {
    const { host } = request.headers;
    if (!isLoopbackOnly || host === undefined || host === lastGoodHost) return null;
    if (isOwnName(host) || host.replace(/:\d+$/, "").toLowerCase() === publicHost) {
      lastGoodHost = host;
      return null;
    }
    const message =
      "The service listens on this machine only and does not know this host. Set FOYER_PUBLIC_URL if it is right.";
    return refuse("API_WRONG_HOST", message);
  }

  function admitPage(request: FastifyRequest, reply: FastifyReply): Refusal | null {
    const address = addressOf(request.socket.remoteAddress ?? "", request.headers);
    const refusal = checkHost(request) ?? checkShare(request, address);
    if (refusal || address.isDirectLoopback) return refusal;
    return (
      count("address", { id: address.client, network: address.network }, config.rateAddress, reply) ??
      count("pages", { id: address.client, network: address.network }, config.ratePages, reply)
    );
  }

  return {
    checkHost,
    checkProbe(request) {
      const address = addressOf(request.socket.remoteAddress ?? "", request.headers);
      return checkHost(request) ?? checkShare(request, address);
    },
    admitPage,
    admit(operation, request, reply) {
      const wrongHost = checkHost(request);
      if (wrongHost) return wrongHost;

      const address = addressOf(request.socket.remoteAddress ?? "", request.headers);
      const isLimited = !address.isDirectLoopback;
      const place = address.isTrustedProxy ? placeOf(request) : null;
      const client = { id: address.client, network: address.network, isLimited, place };
      if (isLimited) {
        const tooMuch = checkShare(request, address);
        if (tooMuch) return tooMuch;
        const tooMany = count("address", client, config.rateAddress, reply);
        if (tooMany) return tooMany;
        if (clientClasses.has(operation.rate)) {
          const tooManyOfThese = count(operation.rate, client, perMinute[operation.rate], reply);
          if (tooManyOfThese) return tooManyOfThese;
        }
      }

      const { authorization, origin } = request.headers;
      const gameReference = (request.params as { game_id?: string }).game_id;
      const settle = (authenticated: Authenticated | Refusal): Verdict | Promise<Verdict> => {
        if (isRefusal(authenticated)) return authenticated;
        const { caller, rateKey } = authenticated;
        const admitted = (): Verdict => {
          const isCounted = isLimited && rateKey !== null && !clientClasses.has(operation.rate);
          const of = { id: rateKey ?? "", network: null };
          return (isCounted && count(operation.rate, of, perMinute[operation.rate], reply)) || { caller, client };
        };
        const checking = parts.checkClient(caller, client);
        return checking === null ? admitted() : checking.then((blocked) => blocked ?? admitted());
      };
      const authenticated = parts.authenticate(operation.callers, { authorization, origin, gameReference });
      return authenticated instanceof Promise ? authenticated.then(settle) : settle(authenticated);
    },
  };
}

function placeOf(request: FastifyRequest) {
  const text = request.headers["x-foyer-coordinates"];
  return typeof text === "string" ? parsePlace(text) : null;
}
