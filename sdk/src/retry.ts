import { FoyerError } from "./error.ts";

export interface RetryOptions {
  /** How many times a call is repeated; 4 if absent. 0: never. */
  readonly retries?: number;
  /** No pause is longer; 10,000 if absent. When Foyer asks for a longer one, the call fails instead. */
  readonly pauseMaxMs?: number;
}

interface Attempts extends RetryOptions {
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

const firstPauseMs = 200;
const worthAnother = new Set([408, 429, 502, 503, 504]);

/** Repeats a call that failed for a reason that may pass: with growing random pauses, and only where it is safe. */
export async function retry<T>(attempts: Attempts, send: () => Promise<T>): Promise<T> {
  const { isRepeatable, signal, retries = 4, pauseMaxMs = 10_000 } = attempts;
  for (let attempt = 0; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof FoyerError)) throw error;
      const refusal = error;
      const askedMs = refusal.retryAfterMs ?? 0;
      const mayPass = refusal.status === 0 || (worthAnother.has(refusal.status) && !hasLobbyFailed(refusal));
      if (!isRepeatable || !mayPass || attempt >= retries || askedMs > pauseMaxMs) throw refusal;
      const spreadMs = Math.min(firstPauseMs * 2 ** attempt, pauseMaxMs);
      await sleep(askedMs + Math.random() * spreadMs, signal);
    }
  }
}

/** A broken server does not pass by itself, and each call would start another one. Without these, only a slot was missing. */
function hasLobbyFailed({ code, metadata, retryAfterMs }: FoyerError): boolean {
  if (code !== "MATCHMAKER_LOBBY_START_FAILED") return false;
  return retryAfterMs === null || "lobby_id" in metadata || "consecutive_failures" in metadata;
}

/** Rejects when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
