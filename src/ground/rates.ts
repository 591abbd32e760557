export type Rate = {
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1: what Retry-After and rate-limit headers say. */
  resetS: number;
  allowed: boolean;
  /** Undoes the count, as long as its window lasts. */
  giveBack(): void;
};

export interface Rates {
  /**
   * Counts `amount` for `key`, one request by default. If less than that is left, it counts nothing. Null when
   * `perMinute` is 0, which means no limit. `now` is in milliseconds.
   */
  take(rateClass: string, key: string, perMinute: number, now: number, amount?: number): Rate | null;
  /** How many windows are remembered. */
  size(): number;
}

/**
 * Fixed windows of 60 s, each beginning with a key's first request.
 *
 * Windows are kept in two generations. A generation accepts new windows for at least 60 s and is then kept unchanged
 * for at least another 60 s. Dropping it whole therefore drops only windows that have ended, without a timer or a scan.
 * With more keys than `keysMax`, generations change sooner and the oldest windows are dropped before their end.
 */
export function createRates(options: { keysMax?: number } = {}): Rates {
  const generationMax = Math.max(1, Math.floor((options.keysMax ?? keysMaxDefault) / 2));
  let young = new Map<string, Window>();
  let old = new Map<string, Window>();
  let youngSince = Number.NEGATIVE_INFINITY;

  function turnGenerations(now: number) {
    // No call for the length of two windows: both generations have ended.
    old = now - youngSince >= 2 * windowMs ? new Map() : young;
    young = new Map();
    youngSince = now;
  }

  function openWindow(id: string, now: number): Window {
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
      // If the clock runs backwards, a generation is kept for too long, never too short.
      if (now < youngSince) youngSince = now;
      if (now - youngSince >= windowMs) turnGenerations(now);
      const window = openWindow(`${rateClass}\0${key}`, now);

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

/** A client, counted by its address. */
export interface Counted {
  readonly id: string;
  /** The network of the client, which has a budget of its own: the /48 of an IPv6 address; null for IPv4. */
  readonly network: string | null;
}

/** One customer of a provider has a /48: it may use any number of client addresses, but not as many budgets. */
export const networkShare = 4;

/**
 * Counts for a client and for its network, both or neither, and returns the result that leaves less. The network is
 * counted first: when it has nothing left, its clients get no windows of their own, which would push out the windows of
 * others.
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
