import { type Foyer, isFoyerError, type StreamOptions } from "foyer-sdk";

type Events = ReturnType<Foyer["games"]["namespaces"]["events"]>;
export type NamespaceEvent = Events extends AsyncIterable<infer Event> ? Event : never;

export interface Follower {
  /** The stream is open. `isResumed`: nothing was missed. */
  onOpen(isResumed: boolean): void;
  onEvent(event: NamespaceEvent): void;
  /** The stream broke and is being opened again. */
  onBreak(error: unknown): void;
}

type OpenClient = (fetch: typeof globalThis.fetch) => Foyer;

const pauseMaxMs = 10_000;

/** Follows the events of a namespace until the signal aborts, across broken connections. Throws when Foyer refuses it. */
export async function followEvents(
  openClient: OpenClient,
  [game, namespace]: readonly [string, string],
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | null = null;
  for (let failures = 0; !signal.aborted; failures++) {
    const isResumed = lastEventId !== null;
    const client = openClient(async (...request) => {
      const response = await globalThis.fetch(...request);
      if (response.ok) follower.onOpen(isResumed);
      return response;
    });
    const options: StreamOptions = { signal, ...(lastEventId !== null && { lastEventId }) };
    try {
      for await (const event of client.games.namespaces.events(game, namespace, options)) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        follower.onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFoyerError(error) && error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
      follower.onBreak(error);
    }
    await pause(Math.random() * Math.min(500 * 2 ** failures, pauseMaxMs));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
