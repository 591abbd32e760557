import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCrashCycles } from "./cycles.ts";

/** `npm run crash`: the crash test for as many kills as one likes. */
const { values } = parseArgs({ options: { cycles: { type: "string" }, seed: { type: "string" } } });
const cycles = Number(values.cycles ?? 100);
const seed = Number(values.seed ?? 1);
if (!Number.isSafeInteger(cycles) || !Number.isSafeInteger(seed)) {
  console.error("--cycles and --seed take whole numbers: npm run crash -- --cycles 1000 --seed 7");
  process.exit(2);
}

const dataDir = mkdtempSync(join(tmpdir(), "foyer-crash-"));
const startedAt = performance.now();
const result = await runCrashCycles(dataDir, {
  cycles,
  seed,
  onCycle(cycle) {
    if (cycle % 10 !== 0 && cycle !== cycles) return;
    const rate = (cycle / ((performance.now() - startedAt) / 60_000)).toFixed(0);
    console.log(`${Math.floor((100 * cycle) / cycles)} %  ${cycle} kills, ${rate} a minute`);
  },
});
console.log(`${result.acknowledgements} acknowledgements, ${result.violations.length} lost`);
for (const violation of result.violations) console.error(violation);
if (result.violations.length > 0) {
  console.error(`The data folder is kept: ${dataDir}\nAgain: npm run crash -- --cycles ${cycles} --seed ${seed}`);
  process.exitCode = 1;
} else {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
