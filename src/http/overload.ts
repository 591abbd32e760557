import { requestWaitMaxMs } from "../ground/limits.ts";
import type { Metrics } from "../ground/metrics.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";

const sampleEveryMs = 500;
/** The event loop being this late means that every answer is late; rejecting requests helps. */
const loopDelayMaxMs = 1_000;
/** One late sample may be a single pause, as at the start of the service. */
const lateSamplesMax = 3;

export interface LoadSigns {
  /** Whether the disk falls behind with writes. */
  isStoreBehind(): boolean;
  /** Requests that only wait for a lobby to become ready. */
  waitingCount(): number;
}

/** The answer to a rejected request, which is counted. */
export function turnAway(metrics: Metrics, cause: "overload" | "stopping"): Refusal {
  metrics.requestShed();
  metrics.requestUnavailable(cause);
  const message = cause === "stopping" ? "The service is stopping." : "The service is overloaded.";
  return refuse("API_UNAVAILABLE", `${message} Try again shortly.`, { retryAfterS: 1 });
}

/** Decides when to reject requests: too many in flight, or an event loop or a disk that falls behind. */
export function createOverload(inFlightMax: number, metrics: Metrics, parts: LoadSigns) {
  /** The bodies of requests that have begun may still come, and those should not be rejected. */
  const fullFrom = inFlightMax - inFlightMax / 8;
  let lateSamples = 0;
  /** Null: there is room. */
  let fullSince: number | null = null;
  let dueAt = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    lateSamples = now - dueAt > loopDelayMaxMs ? lateSamples + 1 : 0;
    dueAt = now + sampleEveryMs;
    isFull();
  }, sampleEveryMs).unref();

  /** A find that waits for its lobby does no work; if it counted, the call that ends its wait might be rejected. */
  const busy = () => metrics.inFlight() - parts.waitingCount();

  function isFull(): boolean {
    if (busy() < fullFrom && !parts.isStoreBehind()) fullSince = null;
    else fullSince ??= performance.now();
    return fullSince !== null;
  }

  return {
    /** Whether new requests should wait because there may soon be room for them. */
    shouldWait: () => isFull() && performance.now() - fullSince! < requestWaitMaxMs,
    isOverloaded: () => lateSamples >= lateSamplesMax || busy() >= inFlightMax || parts.isStoreBehind(),
    stop() {
      clearInterval(timer);
    },
  };
}
