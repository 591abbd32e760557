/** Times of one step, in memory that does not grow with their number. */
export interface Times {
  add(ms: number): void;
  summary(): TimesSummary;
}

/** Milliseconds; null: there are none. */
export interface TimesSummary {
  readonly count: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** Each bucket is 1 % wider than the one below it. */
const growth = Math.log(1.01);
const smallestMs = 0.01;

export function createTimes(): Times {
  const buckets = new Map<number, number>();
  let count = 0;
  let max = 0;

  /** The upper end of the bucket that has this share of all times below or in it. */
  function percentile(share: number): number {
    let left = Math.ceil(count * share);
    for (const bucket of [...buckets.keys()].sort((a, b) => a - b)) {
      left -= buckets.get(bucket)!;
      if (left <= 0) return Math.min(max, smallestMs * Math.exp((bucket + 1) * growth));
    }
    return max;
  }

  return {
    add(ms) {
      const bucket = Math.floor(Math.log(Math.max(ms, smallestMs) / smallestMs) / growth);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      count += 1;
      max = Math.max(max, ms);
    },
    summary() {
      if (count === 0) return { count, p50: null, p90: null, p99: null, max: null };
      const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => round(percentile(share)));
      return { count, p50: p50!, p90: p90!, p99: p99!, max: round(max) };
    },
  };
}

const round = (ms: number) => Math.round(ms * 100) / 100;

/** What happened in a run, for the progress line and the report. */
export interface Figures {
  arrived: number;
  seated: number;
  gaveUp: number;
  played: number;
  /** Players who are waiting for seats or playing now. */
  present: number;
  readonly find: Times;
  readonly seatWait: Times;
  readonly connect: Times;
  readonly leave: Times;
  /** By step, then by code: how often. */
  readonly refusals: Map<string, Map<string, number>>;
}

export const createFigures = (): Figures => ({
  ...{ arrived: 0, seated: 0, gaveUp: 0, played: 0, present: 0 },
  ...{ find: createTimes(), seatWait: createTimes(), connect: createTimes(), leave: createTimes() },
  refusals: new Map(),
});

export function countRefusal({ refusals }: Figures, step: string, code: string): void {
  const codes = refusals.get(step) ?? new Map<string, number>();
  refusals.set(step, codes.set(code, (codes.get(code) ?? 0) + 1));
}

export const countAll = ({ refusals }: Figures) =>
  [...refusals.values()].flatMap((codes) => [...codes.values()]).reduce((sum, count) => sum + count, 0);
