import type { Metrics } from "../metrics.ts";

const sampleEveryMs = 500;
/** The event loop being this late means that every answer is; turning new requests away lets it catch up. */
const loopDelayMaxMs = 1_000;
/** One late sample may be a pause that is over, as when the service starts. */
const lateSamplesMax = 3;

/** Says when to turn requests away: too many at once, or an event loop or a disk that cannot keep up. */
export function createOverload(inFlightMax: number, metrics: Metrics, isStoreBehind: () => boolean) {
  let lateSamples = 0;
  let dueAt = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    lateSamples = now - dueAt > loopDelayMaxMs ? lateSamples + 1 : 0;
    dueAt = now + sampleEveryMs;
  }, sampleEveryMs).unref();

  return {
    isOverloaded: () => lateSamples >= lateSamplesMax || metrics.inFlight() > inFlightMax || isStoreBehind(),
    stop() {
      clearInterval(timer);
    },
  };
}
