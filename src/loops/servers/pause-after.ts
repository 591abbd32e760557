import { setTimeout as sleep } from "node:timers/promises";
import { RuleFailed } from "../../ground/unavailable.ts";

const retryMs = 500;
/** The rules failed on the state of a namespace, which seldom changes by itself. */
const brokenRetryMs = 30_000;

/** How long to wait after the error before the next try. `isOver`: there is no next try. */
export async function pauseAfter(error: unknown, isOver: () => boolean): Promise<void> {
  const pauseMs = error instanceof RuleFailed ? brokenRetryMs : retryMs;
  for (let waitedMs = 0; waitedMs < pauseMs && !isOver(); waitedMs += retryMs) await sleep(retryMs);
}
