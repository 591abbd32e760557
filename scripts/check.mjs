import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ensureArenaBuilt, ensureBuilt, ensureDashboardBuilt } from "./ensure-built.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";
import { checkSources, createSteps } from "./steps.mjs";
import { runTests } from "./vitest-run.mjs";

// `npm run check` is the inner loop: what can be checked in a minute or two, without any server. `npm test` proves every rule.
const output = join(root, "test-output");
const { step, count } = createSteps();

ensureInstalled();
mkdirSync(output, { recursive: true });
await step("build", async () => ensureBuilt() && ensureDashboardBuilt() && ensureArenaBuilt());
await checkSources(step);
const config = "vitest.check.config.ts";
await step("unit and conformance tests (vitest)", () => runTests({ count, output, config }), "counted by test");
console.log("\nThe rest needs servers: npm test runs it.");
