import { type ActivityWindow, counterNames, gaugeNames, type NodeActivity, type Series } from "./activity.ts";
import { readPercentile } from "./wait-histogram.ts";

/** What all nodes together have of a namespace: counts are summed; what one node measures for all is taken from it. */
export function mergeActivity(all: readonly NodeActivity[], { steps }: ActivityWindow) {
  const [p50, p95] = [noFigures(steps), noFigures(steps)];
  const waits = new Map<number, number[]>();
  for (const [step, histogram] of all.flatMap((node) => node.waits)) {
    const sum = waits.get(step) ?? histogram.map(() => 0);
    waits.set(
      step,
      sum.map((count, bucket) => count + (histogram[bucket] ?? 0)),
    );
  }
  for (const [step, histogram] of waits) {
    p50[step] = readPercentile(histogram, 0.5);
    p95[step] = readPercentile(histogram, 0.95);
  }

  const codes = [...new Set(all.flatMap(({ refusals }) => Object.keys(refusals)))].sort();
  const findRefusals = (code: string) =>
    all.map(({ counts, refusals }) => refusals[code] ?? noneWhereCounted(counts.finds));
  return {
    ...toSeries(counterNames, (name) =>
      merge(
        all.map(({ counts }) => counts[name]),
        steps,
        add,
      ),
    ),
    // Two nodes have a figure for one step only when the lease moved in it.
    ...toSeries(gaugeNames, (name) =>
      merge(
        all.map(({ counts }) => counts[name]),
        steps,
        larger,
      ),
    ),
    ready_wait_p50_ms: p50,
    ready_wait_p95_ms: p95,
    refusals: Object.fromEntries(codes.map((code) => [code, merge(findRefusals(code), steps, add)])),
  };
}

function noFigures(steps: number): Series {
  return Array(steps).fill(null);
}

function noneWhereCounted(series: Series): Series {
  return series.map((count) => (count === null ? null : 0));
}

const add = (a: number, b: number) => a + b;

/** Not `Math.max` itself: `reduce` gives it the list as well. */
const larger = (a: number, b: number) => Math.max(a, b);

function merge(all: readonly Series[], steps: number, combine: (a: number, b: number) => number): Series {
  return Array.from({ length: steps }, (_, step) => {
    const figures = all.map((series) => series[step] ?? null).filter((figure) => figure !== null);
    return figures.length === 0 ? null : figures.reduce(combine);
  });
}

function toSeries<Name extends string>(names: readonly Name[], make: (name: Name) => Series): Record<Name, Series> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Series>;
}
