import type { Counted } from "../../ground/rates.ts";

/**
 * The number of watches that may be open. They are separate from the event streams of operators, so players never use
 * those up.
 */
export interface WatchSlots {
  /** Null: no slot is left for the client, its network, the namespace or the service. The result releases the slot. */
  take(namespaceId: string, client: Counted): (() => void) | null;
  taken(): number;
}

export interface WatchLimits {
  readonly all: number;
  readonly perNamespace: number;
  readonly perClient: number;
}

/** As for every budget of a client. */
const clientsPerNetwork = 4;

export function createWatchSlots({ all, perNamespace, perClient }: WatchLimits): WatchSlots {
  const counts = new Map<string, number>();
  let taken = 0;

  function add(key: string, by: number): void {
    const count = (counts.get(key) ?? 0) + by;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }

  return {
    taken: () => taken,
    take(namespaceId, { id, network }) {
      const limits: [key: string, max: number][] = [
        [`namespace ${namespaceId}`, perNamespace],
        [`client ${id}`, perClient],
      ];
      if (network !== null) limits.push([`network ${network}`, perClient * clientsPerNetwork]);
      if (taken >= all || limits.some(([key, max]) => (counts.get(key) ?? 0) >= max)) return null;
      taken += 1;
      for (const [key] of limits) add(key, 1);
      let isGivenBack = false;
      return () => {
        if (isGivenBack) return;
        isGivenBack = true;
        taken -= 1;
        for (const [key] of limits) add(key, -1);
      };
    },
  };
}
