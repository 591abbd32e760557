import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metrics } from "../metrics.ts";

const sampleEveryMs = 500;
/** The event loop being this late means that every answer is; turning new requests away lets it catch up. */
const loopDelayMaxMs = 1_000;

/** Says when to turn requests away: too many at once, or an event loop or a disk that cannot keep up. */
export function createOverload(inFlightMax: number, metrics: Metrics, isStoreBehind: () => boolean) {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let isLate = false;
  const timer = setInterval(() => {
    isLate = delay.percentile(50) / 1e6 > loopDelayMaxMs;
    delay.reset();
  }, sampleEveryMs).unref();

  return {
    isOverloaded: () => isLate || metrics.inFlight() > inFlightMax || isStoreBehind(),
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}
