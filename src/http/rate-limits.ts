import { performance } from "node:perf_hooks";
import type { FastifyReply } from "fastify";
import type { Config } from "../config/config.ts";
import type { RateClass } from "../contract/define.ts";
import { type Counted, createRates, takeForClient } from "../ground/rates.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";

/** Requests a minute: of one client by its address, of one token by its key. Each gives a refusal for one too many. */
export interface RateLimits {
  /** Counts a request of a client, and its class if that is counted by address. */
  countClient(rateClass: RateClass, client: Counted, reply: FastifyReply): Refusal | null;
  /** Counts a request of any kind, whose answer does not say how many are left. */
  countAddress(client: Counted): Refusal | null;
  /** Counts a request for one of the service's own pages. */
  countPage(client: Counted, reply: FastifyReply): Refusal | null;
  /** Counts a request of a token, if its class is counted by token. */
  countToken(rateClass: RateClass, rateKey: string, reply: FastifyReply): Refusal | null;
}

/** These are counted by the client's address, and so before its token is checked; the others by token. */
const clientClasses: ReadonlySet<RateClass> = new Set(["find", "create", "list"]);

export function createRateLimits(config: Config): RateLimits {
  const rates = createRates();
  const perMinute: Record<RateClass, number> = {
    find: config.rateFind,
    create: config.rateCreate,
    list: config.rateList,
    lobby: config.rateLobby,
    server: config.rateServer,
    cloud: config.rateCloud,
  };

  function count(rateClass: string, of: Counted, limit: number, reply: FastifyReply | null): Refusal | null {
    const taken = takeForClient(rates, rateClass, of, limit, performance.now());
    if (!taken) return null;
    reply?.header("ratelimit-limit", String(taken.limit));
    reply?.header("ratelimit-remaining", String(taken.remaining));
    reply?.header("ratelimit-reset", String(taken.resetS));
    if (taken.allowed) return null;
    const message = `More than ${taken.limit} requests a minute. Try again in ${taken.resetS} seconds.`;
    return refuse("API_RATE_LIMIT", message, { retryAfterS: taken.resetS });
  }

  return {
    countClient(rateClass, client, reply) {
      const tooMany = count("address", client, config.rateAddress, reply);
      if (tooMany || !clientClasses.has(rateClass)) return tooMany;
      return count(rateClass, client, perMinute[rateClass], reply);
    },
    countAddress: (client) => count("address", client, config.rateAddress, null),
    countPage(client, reply) {
      return count("address", client, config.rateAddress, reply) ?? count("pages", client, config.ratePages, reply);
    },
    countToken(rateClass, rateKey, reply) {
      if (clientClasses.has(rateClass)) return null;
      return count(rateClass, { id: rateKey, network: null }, perMinute[rateClass], reply);
    },
  };
}
