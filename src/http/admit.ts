import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import type { Operation, RateClass } from "../contract/define.ts";
import type { Authenticate, Authenticated } from "../operations/auth/authenticate.ts";
import type { Caller, Client } from "../operations/callers.ts";
import { parsePlace } from "../operations/matchmaking/geo.ts";
import { isRefusal, type Refusal, refuse } from "../operations/refusal.ts";
import { type CheckHost, createCheckHost } from "./check-host.ts";
import type { ClientAddress } from "./client-address.ts";
import { isOwnOrigin } from "./cors.ts";
import { createRateLimits, type RateLimits } from "./rate-limits.ts";

type Verdict = Admitted | Refusal;

/** The caller and its address. */
export interface Admitted {
  readonly caller: Caller;
  readonly client: Client;
}

export interface Admit {
  readonly rates: RateLimits;
  /** Host, rate limits and token, in the contract's order, before the body is read. */
  admit(operation: Operation, request: FastifyRequest, reply: FastifyReply): Verdict | Promise<Verdict>;
  readonly checkHost: CheckHost;
  /** The host, and that the client does not have too many unanswered requests: the checks of probes. */
  checkProbe(request: FastifyRequest): Refusal | null;
  /** The same, and that the client has not asked for too many of the service's own pages. */
  admitPage(request: FastifyRequest, reply: FastifyReply): Refusal | null;
  /**
   * Counts a request for a path or method that does not exist, as one for a page. Its answer stays the same, because the
   * path and the method come before the limits; but a client beyond them needs another connection for each further one.
   */
  countMiss(request: FastifyRequest, reply: FastifyReply): void;
}

export interface AdmitParts {
  readonly config: Config;
  readonly authenticate: Authenticate;
  /** Null, directly or as a promise: the namespace of the caller serves this client. */
  checkClient(caller: Caller, client: Client): Promise<Refusal | null> | null;
  /** A refusal when the client of the request has too many unanswered requests. */
  checkShare(request: FastifyRequest): Refusal | null;
}

export function createAdmit(parts: AdmitParts): Admit {
  const { config, checkShare } = parts;
  const rates = createRateLimits(config);
  const checkHost = createCheckHost(config);

  return {
    rates,
    checkHost,
    checkProbe(request) {
      return checkHost(request.raw) ?? checkShare(request);
    },
    admitPage(request, reply) {
      const { address } = request.exchange;
      const refusal = checkHost(request.raw) ?? checkShare(request);
      if (refusal || address.isDirectLoopback) return refusal;
      return rates.countPage({ id: address.client, network: address.network }, reply);
    },
    countMiss(request, reply) {
      const { address } = request.exchange;
      if (address.isDirectLoopback) return;
      const tooMany = rates.countPage({ id: address.client, network: address.network }, reply);
      if (tooMany) reply.header("connection", "close");
    },
    admit(operation, request, reply) {
      const wrongHost = checkHost(request.raw);
      if (wrongHost) return wrongHost;

      const { address } = request.exchange;
      const client = toClient(request, address);
      const rate = chooseRate(operation, request.headers.authorization);
      if (client.isLimited) {
        const tooMuch = checkShare(request) ?? rates.countClient(rate, client, reply);
        if (tooMuch) return tooMuch;
      }
      return admitCaller(parts, rates, { operation, rate, request, reply, client });
    },
  };
}

/** A backend's calls are for many players, so they are counted by its token alone. A token that only looks so is refused. */
function chooseRate({ callers, rate }: Operation, authorization: string | undefined): RateClass {
  const isBackend = authorization !== undefined && callers.includes("server") && serverBearer.test(authorization);
  return isBackend ? "server" : rate;
}

const serverBearer = /^bearer +server_/i;

function toClient(request: FastifyRequest, address: ClientAddress): Client {
  const place = address.isTrustedProxy ? readPlace(request) : null;
  return { id: address.client, network: address.network, isLimited: !address.isDirectLoopback, place };
}

function readPlace(request: FastifyRequest) {
  const text = request.headers["x-foyer-coordinates"];
  return typeof text === "string" ? parsePlace(text) : null;
}

/** A request whose client was admitted. */
interface Arrival {
  readonly operation: Operation;
  readonly rate: RateClass;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly client: Client;
}

/** A page of another origin must not sign its visitor in. */
function checkOwnOrigin({ raw }: FastifyRequest, { publicUrl }: Config): Refusal | null {
  if (isOwnOrigin(raw, publicUrl)) return null;
  const message =
    "Pages of other origins cannot call this operation. If the page is the service's own, behind a proxy, set FOYER_PUBLIC_URL to its address.";
  return refuse("TOKEN_FORBIDDEN", message);
}

/** The token, then whether its namespace serves the client, then the rate limit of the token. */
function admitCaller(parts: AdmitParts, rates: RateLimits, arrival: Arrival): Verdict | Promise<Verdict> {
  const { operation, rate, request, reply, client } = arrival;
  // Not async: most tokens are checked without waiting, and a promise would cost every request.
  const settle = (authenticated: Authenticated | Refusal): Verdict | Promise<Verdict> => {
    if (isRefusal(authenticated)) return authenticated;
    const { caller, rateKey } = authenticated;
    const admitted = (): Verdict => {
      const isCounted = client.isLimited && rateKey !== null;
      return (isCounted && rates.countToken(rate, rateKey, reply)) || { caller, client };
    };
    const checking = parts.checkClient(caller, client);
    return checking === null ? admitted() : checking.then((blocked) => blocked ?? admitted());
  };
  const foreign = operation.callers.includes("none") ? checkOwnOrigin(request, parts.config) : null;
  if (foreign) return foreign;
  const { authorization, origin } = request.headers;
  const gameReference = (request.params as { game_id?: string }).game_id;
  const authenticated = parts.authenticate(operation.callers, {
    authorization,
    origin,
    gameReference,
    isLocal: !client.isLimited,
  });
  return authenticated instanceof Promise ? authenticated.then(settle) : settle(authenticated);
}
