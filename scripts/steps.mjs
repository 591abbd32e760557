import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";

/** Runs the steps of a command one after the other and counts what passed. A step that fails does not stop the next one. */
export function createSteps() {
  const count = { passed: 0, failed: 0 };
  // The last line must report the counts even when the first step fails.
  process.on("exit", () => {
    if (count.passed + count.failed === 0) count.failed = 1;
    console.log(`${count.passed} passed, ${count.failed} failed`);
    process.exitCode = process.exitCode || (count.failed > 0 ? 1 : 0);
  });
  return {
    count,
    /** Prints whether the step passed and how long it took. A step that throws has failed. */
    async step(title, check, counting = "counted as one") {
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
    },
  };
}

/** What is checked without running anything: format, lint, types, unused code. */
export async function checkSources(step) {
  await step("format and lint (biome ci)", () => runs("@biomejs/biome/bin/biome", "ci"));
  await step("types (tsc --noEmit)", () => runs("typescript/bin/tsc", "--noEmit"));
  await step("unused code (knip)", () => runs("knip/bin/knip.js"));
}

function runs(program, ...args) {
  return runsWith(process.execPath, program, ...args);
}

/** Runs a program of node_modules with a Node. True: it exited with code 0. */
export function runsWith(node, program, ...args) {
  return new Promise((resolve) => {
    const child = spawn(node, [join(root, "node_modules", program), ...args], {
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
