import type { Metrics } from "../ground/metrics.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";

const sampleEveryMs = 500;
/** The event loop or the clients' turns being this late means that every answer is; turning requests away helps. */
const loopDelayMaxMs = 1_000;
/** One late sample may be a pause that is over, as when the service starts. */
const lateSamplesMax = 3;

export interface LoadSigns {
  /** More is waiting to be written than the disk keeps up with. */
  isStoreBehind(): boolean;
  /** Requests that only wait for a lobby to become ready. */
  waitingCount(): number;
}

/** What is seen of the requests themselves. */
interface TurnSigns {
  /** How long clients had to wait for their turns since the last call of this. */
  takeLongestDelayMs(): number;
}

/** The answer to a request that is turned away, which is counted as such. */
export function turnAway(metrics: Metrics, cause: "overload" | "stopping"): Refusal {
  metrics.requestShed();
  metrics.requestUnavailable(cause);
  const message = cause === "stopping" ? "The service is stopping." : "The service is overloaded.";
  return refuse("API_UNAVAILABLE", `${message} Try again shortly.`, { retryAfterS: 1 });
}

/** Says when to turn requests away: too many at once, or an event loop or a disk that cannot keep up. */
export function createOverload(inFlightMax: number, metrics: Metrics, parts: LoadSigns & TurnSigns) {
  let lateSamples = 0;
  let dueAt = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    const delayMs = Math.max(now - dueAt, parts.takeLongestDelayMs());
    lateSamples = delayMs > loopDelayMaxMs ? lateSamples + 1 : 0;
    dueAt = now + sampleEveryMs;
  }, sampleEveryMs).unref();

  /** A find that waits for its lobby does no work; counting it would turn away the very call that ends its wait. */
  const busy = () => metrics.inFlight() - parts.waitingCount();

  return {
    isOverloaded: () => lateSamples >= lateSamplesMax || busy() >= inFlightMax || parts.isStoreBehind(),
    stop() {
      clearInterval(timer);
    },
  };
}
