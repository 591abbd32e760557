import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runs } from "./steps.mjs";

const slowestShown = 10;

/** Runs vitest, adds its tests to the count and prints which files took longest. */
export async function runTests(count, output, ...args) {
  const report = join(output, "vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const succeeded = await runs("vitest/vitest.mjs", "run", ...reporters, ...args);
  const results = readResults(report);
  const { passed, failed } = countTests(results);
  count.passed += passed;
  // A run that failed without a failed test has crashed, found nothing to run, or had an unhandled error.
  const unexplained = (!succeeded && failed === 0) || passed + failed === 0 ? 1 : 0;
  count.failed += failed + unexplained;
  showSlowest(results);
  return failed + unexplained === 0;
}

function readResults(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    // vitest ended before it wrote its report; the caller counts that.
    return [];
  }
}

/** A file that broke before its tests counts as a failure, and so does a skipped test, because it proves nothing. */
function countTests(results) {
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

function showSlowest(results) {
  if (results.length <= slowestShown) return;
  const timed = results.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));
  timed.sort((a, b) => b.seconds - a.seconds);
  console.log("\nThe test files that took longest:");
  for (const { name, seconds } of timed.slice(0, slowestShown)) {
    console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${name.replace(`${process.cwd()}/`, "")}`);
  }
}
