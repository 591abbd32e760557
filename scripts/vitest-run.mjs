import { readFileSync } from "node:fs";
import { join } from "node:path";
import { watchMachine } from "./starved.mjs";
import { runsWith } from "./steps.mjs";

const slowestShown = 10;

/**
 * Runs vitest with a Node, adds its tests to the count and prints which files took longest. A file that failed while the machine was
 * starved runs once more, alone, and this second run counts; any other failure counts as it is.
 */
export async function runTests({ count, output, config = "vitest.config.ts", args = [], node = process.execPath }) {
  const machine = watchMachine();
  const run = (report, more) => runOnce(node, report, ["--config", config, ...more]);
  const first = await run(join(output, "vitest.json"), args);
  showSlowest(first.results);
  const unclear = first.results.filter(
    ({ status, startTime, endTime }) => status !== "passed" && machine.wasStarved(startTime, endTime),
  );
  const second = unclear.length > 0 ? await runAgain(run, machine, unclear, output) : null;
  machine.stop();
  const counted = first.results.filter((result) => !second || !unclear.includes(result));
  const { passed, failed } = countTests([...counted, ...(second?.results ?? [])]);
  count.passed += passed;
  // A run that failed without a failed test has crashed, found nothing to run, or had an unhandled error.
  const isUnexplained = (run) => !run.succeeded && countTests(run.results).failed === 0;
  const unexplained = isUnexplained(first) || (second && isUnexplained(second)) || passed + failed === 0 ? 1 : 0;
  count.failed += failed + unexplained;
  return failed + unexplained === 0;
}

async function runOnce(node, report, args) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const succeeded = await runsWith(node, "vitest/vitest.mjs", "run", ...reporters, ...args);
  return { succeeded, results: readResults(report) };
}

async function runAgain(run, machine, unclear, output) {
  const files = unclear.map(({ name }) => name.replace(`${process.cwd()}/`, ""));
  console.log(
    `\nThe machine was starved of its processors for ${machine.seconds()} s, and in that time these files failed:`,
  );
  for (const file of files) console.log(`  ${file}`);
  console.log("They run once more, one at a time, when the machine is quiet; that result counts.");
  await machine.whenQuiet();
  return run(join(output, "vitest-again.json"), ["--no-file-parallelism", ...files]);
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
