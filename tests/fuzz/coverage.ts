import type { FuzzReport } from "./fuzz.ts";

/** The operations that no request reached with success, mock answers not counted. */
export function unreached(report: FuzzReport): string[] {
  return [...report.outcomes].filter(([, outcomes]) => !outcomes.has("ok")).map(([id]) => id);
}

/** How many answers were of this code. */
export function countCode(report: FuzzReport, code: string): number {
  return [...report.outcomes.values()].reduce((sum, outcomes) => sum + (outcomes.get(code) ?? 0), 0);
}

/** A line per operation: how often each outcome came. */
export function describeOutcomes(report: FuzzReport): string {
  return [...report.outcomes]
    .map(([id, outcomes]) => {
      const listed = [...outcomes].sort((a, b) => b[1] - a[1]).map(([outcome, times]) => `${outcome} ${times}`);
      return `  ${id}: ${listed.join(", ")}`;
    })
    .join("\n");
}
