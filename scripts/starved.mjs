import { readFileSync } from "node:fs";

const lookEveryMs = 1_000;
const lateMs = 1_000;
const stolenShare = 0.2;
const quietLooks = 10;
const waitAtMostMs = 300_000;

/**
 * Notes when the machine did not give this run its processors: another guest of the same host took them (steal), or a
 * timer came much too late. Foyer gives up on Redis after 2 seconds and on PostgreSQL after 5, so a test that fails in
 * such a moment says nothing about Foyer.
 */
export function watchMachine() {
  const starved = [];
  let quietFor = 0;
  let last = { at: Date.now(), ...readProcessors() };
  const timer = setInterval(() => {
    const now = { at: Date.now(), ...readProcessors() };
    quietFor = wasStarvedBetween(last, now) ? 0 : quietFor + 1;
    if (quietFor === 0) starved.push({ from: last.at, to: now.at });
    last = now;
  }, lookEveryMs);
  return {
    seconds: () => Math.round(starved.reduce((sum, { from, to }) => sum + to - from, 0) / 1_000),
    wasStarved: (from, to) => starved.some((moment) => moment.from < to && moment.to > from),
    /** Resolves when the machine has been quiet for ten seconds, at the latest after five minutes. */
    async whenQuiet() {
      const giveUpAt = Date.now() + waitAtMostMs;
      while (quietFor < quietLooks && Date.now() < giveUpAt) {
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
    },
    stop: () => clearInterval(timer),
  };
}

/** Two looks, a second apart: the second one came too late, or others had a fifth of the processors in between. */
export function wasStarvedBetween(last, now) {
  const isLate = now.at - last.at > lookEveryMs + lateMs;
  return isLate || now.stolen - last.stolen > stolenShare * (now.total - last.total);
}

/** Ticks of all processors since the machine started: all of them, and those that the host gave to others. */
function readProcessors() {
  try {
    const ticks = readFileSync("/proc/stat", "utf8").split("\n", 1)[0].trim().split(/\s+/).slice(1, 9).map(Number);
    return { total: ticks.reduce((sum, count) => sum + count, 0), stolen: ticks[7] ?? 0 };
  } catch {
    // Not Linux: only the timer says something.
    return { total: 0, stolen: 0 };
  }
}
