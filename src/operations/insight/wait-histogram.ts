/** Waits in buckets whose bounds grow by a fifth: 64 of them reach from 10 ms to about 16 minutes. */
const bucketsCount = 64;
const firstMs = 10;
const growth = 1.2;

export const waitHistogramBytes = bucketsCount * 4;

export function createWaitHistogram(): Uint32Array {
  return new Uint32Array(bucketsCount);
}

export function noteWait(histogram: Uint32Array, waitedMs: number): void {
  const bucket = waitedMs <= firstMs ? 0 : Math.ceil(Math.log(waitedMs / firstMs) / Math.log(growth));
  histogram[Math.min(bucket, bucketsCount - 1)]! += 1;
}

/** The upper bound of the bucket in which that part of the waits ends; null: nothing waited. At most a fifth too much. */
export function readPercentile(histogram: readonly number[], part: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * part);
  for (const [bucket, count] of histogram.entries()) {
    left -= count;
    if (left <= 0) return Math.round(firstMs * growth ** bucket);
  }
  return null;
}
