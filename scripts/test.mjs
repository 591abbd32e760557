import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findLeaks } from "./check-leaks.mjs";
import { ensureArenaBuilt, ensureBuilt, ensureDashboardBuilt } from "./ensure-built.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";
import { checkSources, createSteps } from "./steps.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";
import { runTests } from "./vitest-run.mjs";

// `npm test` proves every rule on every engine; `npm run test:long` has what takes longer. `npm test -- tests/config.test.ts` runs
// all checks but only those test files.
const narrowedTo = process.argv.slice(2);
const output = join(root, "test-output");
const { step, count } = createSteps();

ensureInstalled();
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

await step("system packages", async () => ensureSystemPackages());
await step("build", async () => ensureBuilt() && ensureDashboardBuilt() && ensureArenaBuilt());
await checkSources(step);
const title = `tests (vitest${narrowedTo.length > 0 ? `, only ${narrowedTo.join(" ")}` : ""})`;
await step(title, () => runTests({ count, output, args: narrowedTo }), "counted by test");
await step("no issued token in any log or database", checkLeaks);
if (narrowedTo.length > 0) console.log(`\nOnly the tests in ${narrowedTo.join(" ")} ran, not all of them.`);
console.log("");

async function checkLeaks() {
  const { tokenCount, fileCount, leaks } = findLeaks(output);
  for (const leak of leaks) console.error(`  ${leak}`);
  console.log(`  ${tokenCount} tokens, ${fileCount} files`);
  if (tokenCount > 0 || narrowedTo.length > 0) return leaks.length === 0;
  console.error("  No test recorded the tokens it issued, so this step had nothing to check.");
  return false;
}
