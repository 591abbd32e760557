export type Rate = {
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1: what Retry-After and rate-limit headers say. */
  resetS: number;
  allowed: boolean;
  /** What was counted is not counted any more, for as long as its window lasts. */
  giveBack(): void;
};

export interface Rates {
  /**
   * Counts a request of `key`, or whatever else there is `amount` of; more than is left counts nothing. Null when
   * `perMinute` is 0, which means no limit. `now` is in milliseconds.
   */
  take(rateClass: string, key: string, perMinute: number, now: number, amount?: number): Rate | null;
  /** How many windows are remembered. */
  size(): number;
}

/**
 * Fixed windows of 60 s, each beginning with a key's first request.
 *
 * Windows are kept in two generations. A generation takes new windows for at least 60 s and is then kept, untouched, for
 * at least as long again, so that dropping it whole drops only windows that have ended: no timer, no list to walk. When
 * more keys come than `keysMax`, generations change sooner and the oldest windows are forgotten before their end.
 */
export function createRates(options: { keysMax?: number } = {}): Rates {
  const generationMax = Math.max(1, Math.floor((options.keysMax ?? keysMaxDefault) / 2));
  let young = new Map<string, Window>();
  let old = new Map<string, Window>();
  let youngSince = Number.NEGATIVE_INFINITY;

  function turnGenerations(now: number) {
    // Nothing was asked for two windows' time: both generations have ended.
    old = now - youngSince >= 2 * windowMs ? new Map() : young;
    young = new Map();
    youngSince = now;
  }

  function windowOf(id: string, now: number): Window {
    const known = young.get(id) ?? old.get(id);
    if (known && now < known.startedAt) known.startedAt = now;
    if (known && now - known.startedAt < windowMs) return known;
    if (young.size >= generationMax && !young.has(id)) turnGenerations(now);
    const fresh = { startedAt: now, count: 0 };
    young.set(id, fresh);
    return fresh;
  }

  return {
    take(rateClass, key, perMinute, now, amount = 1) {
      if (perMinute === 0) return null;
      // A clock that went backwards would keep a generation for too long, never too short.
      if (now < youngSince) youngSince = now;
      if (now - youngSince >= windowMs) turnGenerations(now);
      const window = windowOf(`${rateClass}\0${key}`, now);

      const allowed = window.count + amount <= perMinute;
      if (allowed) window.count += amount;
      return {
        limit: perMinute,
        remaining: Math.max(0, perMinute - window.count),
        resetS: Math.max(1, Math.ceil((window.startedAt + windowMs - now) / 1000)),
        allowed,
        giveBack() {
          if (allowed) window.count -= amount;
        },
      };
    },
    size: () => young.size + old.size,
  };
}

type Window = { startedAt: number; count: number };

const windowMs = 60_000;

/** About 20 MB when full. */
const keysMaxDefault = 100_000;

/** Whoever is counted by its address. */
export interface Counted {
  readonly id: string;
  /** The wider network that it is in, which has a budget of its own: the /48 of an IPv6 address; null for IPv4. */
  readonly network: string | null;
}

/** A /48 is what one customer of a provider has: as many clients as it likes, but not as many budgets. */
export const networkShare = 4;

/**
 * Counts for a client and for its network, both or neither. The answer is the one that leaves less. The network comes first:
 * when it has nothing left, its clients get no windows of their own, which by their number would push out those of others.
 */
export function takeForClient(
  rates: Rates,
  rateClass: string,
  client: Counted,
  perMinute: number,
  now: number,
  amount = 1,
): Rate | null {
  const wider =
    client.network === null ? null : rates.take(rateClass, client.network, perMinute * networkShare, now, amount);
  if (wider !== null && !wider.allowed) return wider;
  const own = rates.take(rateClass, client.id, perMinute, now, amount);
  if (own === null || wider === null) return own;
  if (!own.allowed) {
    wider.giveBack();
    return own;
  }
  const giveBack = () => {
    own.giveBack();
    wider.giveBack();
  };
  return { ...(wider.remaining < own.remaining ? wider : own), giveBack };
}
