import type { Metric, Registry } from "prom-client";

const boundsS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 60];

interface Noted {
  /** By bucket; the last one is for what is longer than every bound. */
  readonly counts: number[];
  sumS: number;
}

/**
 * A histogram of durations with one label; the function that it returns records one duration. Every request records
 * one, and prom-client's own histogram checks and joins the labels each time: that took as long as the lookup of the
 * request's token.
 */
export function addDurations(registry: Registry, name: string, help: string, label: string) {
  const all = new Map<string, Noted>();

  function getNoted(value: string): Noted {
    const known = all.get(value);
    if (known !== undefined) return known;
    const fresh = { counts: new Array<number>(boundsS.length + 1).fill(0), sumS: 0 };
    all.set(value, fresh);
    return fresh;
  }

  function toMetricValues(value: string, { counts, sumS }: Noted) {
    const labels = { [label]: value };
    let count = 0;
    const buckets = counts.map((more, index) => {
      count += more;
      return { labels: { le: boundsS[index] ?? "+Inf", ...labels }, value: count, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sumS, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ];
  }

  const metric = {
    name,
    get: async () => ({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: [...all].flatMap(([value, noted]) => toMetricValues(value, noted)),
    }),
  };
  // The registry reads only the name of a metric and the result of `get`.
  registry.registerMetric(metric as unknown as Metric);

  return (value: string, seconds: number): void => {
    const noted = getNoted(value);
    let bucket = 0;
    while (bucket < boundsS.length && seconds > boundsS[bucket]!) bucket += 1;
    noted.counts[bucket]! += 1;
    noted.sumS += seconds;
  };
}
