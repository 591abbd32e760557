import type { Round, Target } from "./load.ts";

/** A Markdown table of what was measured, each line compared with its baseline: the last one before it that is one. */
export function comparisonTable(results: ReadonlyMap<Target, Round>, baselines: ReadonlySet<Target>): string {
  let base: Round | null = null;
  const rows = [...results].map(([target, round]) => {
    if (base === null || baselines.has(target)) base = round;
    return [
      target.name,
      String(Math.round(round.requestsPerSecond)),
      (round.requestsPerSecond / base.requestsPerSecond).toFixed(2),
      round.p50Ms.toFixed(2),
      round.p99Ms.toFixed(2),
      round.cpuMicrosecondsPerRequest.toFixed(1),
      (base.cpuMicrosecondsPerRequest / round.cpuMicrosecondsPerRequest).toFixed(2),
      `${Math.round(round.busy * 100)} %`,
    ];
  });
  return markdownTable(header, rows);
}

const header = ["server", "requests/s", "ratio", "p50 ms", "p99 ms", "CPU µs/request", "ratio by CPU", "server busy"];

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? title).length)));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  const line = (row: readonly string[]) => `| ${row.map(cell).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
