import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findLeaks } from "./check-leaks.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `npm test` runs everything; `npm test -- tests/config.test.ts` runs all checks but only those test files.
const narrowedTo = process.argv.slice(2);
const output = join(root, "test-output");
const count = { passed: 0, failed: 0 };

// The last line must say what happened even when the first step already fails.
process.on("exit", () => {
  if (count.passed + count.failed === 0) count.failed = 1;
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exitCode = process.exitCode || (count.failed > 0 ? 1 : 0);
});

ensureInstalled();
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

await step("build", async () => ensureBuilt());
await step("format and lint (biome ci)", () => runs("@biomejs/biome/bin/biome", "ci"));
await step("types (tsc --noEmit)", () => runs("typescript/bin/tsc", "--noEmit"));
await step("unused code (knip)", () => runs("knip/bin/knip.js"));
await step(
  `tests (vitest${narrowedTo.length > 0 ? `, only ${narrowedTo.join(" ")}` : ""})`,
  runTests,
  "counted by test",
);
await step("no issued token in any log or database", checkLeaks);
if (narrowedTo.length > 0) console.log(`\nOnly the tests in ${narrowedTo.join(" ")} ran, not all of them.`);
console.log("");

/** Runs one step, says how it went and how long it took. A step that throws has failed; the next one runs all the same. */
async function step(title, check, counting = "counted as one") {
  console.log(`\n▶ ${title}`);
  const startedAt = performance.now();
  let passed = false;
  try {
    passed = await check();
  } catch (error) {
    console.error(error);
  }
  if (counting === "counted as one") count[passed ? "passed" : "failed"] += 1;
  console.log(`${passed ? "✔" : "✘"} ${title}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

function runs(program, ...args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, "node_modules", program), ...args], {
      cwd: root,
      stdio: "inherit",
    });
    child.on("error", (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.on("exit", (code) => resolve(code === 0));
  });
}

async function runTests() {
  const report = join(output, "vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const succeeded = await runs("vitest/vitest.mjs", "run", ...reporters, ...narrowedTo);
  const { passed, failed } = countTests(report);
  count.passed += passed;
  // A run that failed without a failed test crashed, found nothing to run, or left an error behind.
  const unexplained = (!succeeded && failed === 0) || passed + failed === 0 ? 1 : 0;
  count.failed += failed + unexplained;
  return failed + unexplained === 0;
}

/** A file that broke before its tests counts as a failure, and so does a skipped test: it has shown nothing. */
function countTests(report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    // vitest ended before it wrote its report; the caller counts that.
    return { passed: 0, failed: 0 };
  }
  let passed = 0;
  let failed = 0;
  for (const { status, assertionResults } of results) {
    const passedHere = assertionResults.filter((test) => test.status === "passed").length;
    const failedHere = assertionResults.length - passedHere;
    passed += passedHere;
    failed += failedHere || (status === "passed" ? 0 : 1);
  }
  return { passed, failed };
}

async function checkLeaks() {
  const { tokenCount, fileCount, leaks } = findLeaks(output);
  for (const leak of leaks) console.error(`  ${leak}`);
  console.log(`  ${tokenCount} tokens, ${fileCount} files`);
  if (tokenCount > 0 || narrowedTo.length > 0) return leaks.length === 0;
  console.error("  No test recorded the tokens it issued, so this step has shown nothing.");
  return false;
}
