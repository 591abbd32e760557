import type { Region } from "./generated/types.ts";

export interface RegionWithLatency extends Region {
  /** The shortest of three requests; null: the region has no `ping_url`, or it did not answer. */
  readonly latencyMs: number | null;
}

const tries = 3;
const answerWithinMs = 2_000;

/** Regions with a known latency first, then the others in the order that Foyer gave. */
export async function sortByLatency(
  regions: readonly Region[],
  request: typeof fetch,
  signal: AbortSignal | undefined,
): Promise<readonly RegionWithLatency[]> {
  const measured = await Promise.all(
    regions.map(async (region) => ({ ...region, latencyMs: await measure(region.ping_url ?? null, request, signal) })),
  );
  signal?.throwIfAborted();
  return measured.sort(
    (a, b) => (a.latencyMs ?? Number.POSITIVE_INFINITY) - (b.latencyMs ?? Number.POSITIVE_INFINITY) || 0,
  );
}

async function measure(url: string | null, request: typeof fetch, signal?: AbortSignal): Promise<number | null> {
  if (url === null) return null;
  let best: number | null = null;
  for (let count = 0; count < tries && !signal?.aborted; count++) {
    const startedAt = performance.now();
    try {
      const timeout = AbortSignal.timeout(answerWithinMs);
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
      // Node's types do not know `cache`, which browsers need here.
      await request(url, { cache: "no-store", signal: either } as RequestInit);
    } catch {
      return best;
    }
    const tookMs = performance.now() - startedAt;
    // The first one includes the connection's set-up.
    best = best === null ? tookMs : Math.min(best, tookMs);
  }
  return best;
}
