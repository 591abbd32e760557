import { setTimeout as sleep } from "node:timers/promises";
import { EngineAway } from "./engine.ts";

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Repeats a task while the engine does not answer, with growing pauses. `mayGoOn` ends the attempts; then the last error
 * is thrown.
 */
export async function whileAway<T>(task: () => Promise<T>, backoff: Backoff, mayGoOn: () => boolean): Promise<T> {
  for (let pauseMs = backoff.firstMs; ; pauseMs = Math.min(pauseMs * 2, backoff.maxMs)) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof EngineAway) || !mayGoOn()) throw error;
    }
    await sleep(pauseMs, undefined, { ref: false });
  }
}

/** True for that long. */
export function forAtMost(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() < until;
}

/** Rejects with the message when the promise has not settled in time. */
export async function within<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EngineAway(message)), ms);
    timer.unref();
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
