import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "./load.ts";
import type { Outcome } from "./soak-churn.ts";

type Step = () => Promise<Outcome>;
export type OnAnswer = (outcome: Outcome, ms: number, dueAfterS: number) => void;

/** So many requests are open at any time, each after the answer to the one before. Returns good answers per second. */
export async function closedLoop(
  step: Step,
  open: number,
  seconds: number,
  onAnswer: (outcome: Outcome) => unknown,
): Promise<number> {
  const startedAt = performance.now();
  let good = 0;
  const work = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const outcome = await step();
      onAnswer(outcome);
      if (outcome.isGood) good += 1;
    }
  };
  await Promise.all(Array.from({ length: open }, work));
  return good / ((performance.now() - startedAt) / 1000);
}

/**
 * Sends at a steady rate, whether earlier requests were answered or not. A time counts from when the request was due. Those that are
 * due while `openMax` wait for their answers are not made.
 */
export async function pace(
  step: Step,
  perSecond: number,
  seconds: number,
  onAnswer: OnAnswer,
  openMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const startedAt = performance.now();
  const total = Math.floor(perSecond * seconds);
  const calls = new Set<Promise<void>>();
  for (let made = 0; made < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
    for (; made < due; made++) {
      if (calls.size >= openMax) continue;
      const dueAfterS = made / perSecond;
      const call = step().then((outcome) => {
        calls.delete(call);
        onAnswer(outcome, performance.now() - startedAt - dueAfterS * 1000, dueAfterS);
      });
      calls.add(call);
    }
    await sleep(1);
  }
  await Promise.all(calls);
}

export function p99Of(times: readonly number[]): number {
  return quantile(
    times.toSorted((a, b) => a - b),
    0.99,
  );
}

/** Of the line through these points that fits best. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let [over, under] = [0, 0];
  for (const [x, y] of points) {
    over += (x - meanX) * (y - meanY);
    under += (x - meanX) ** 2;
  }
  return under === 0 ? 0 : over / under;
}
