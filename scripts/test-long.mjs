import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureArenaBuilt, ensureBuilt, ensureDashboardBuilt } from "./ensure-built.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";
import { testOtherNodes } from "./other-nodes.mjs";
import { createSteps } from "./steps.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";
import { runTests } from "./vitest-run.mjs";

// `npm run test:long` runs what `npm test` leaves out: `*.long.test.ts`, and Foyer on the other versions of Node that it
// supports. `npm run test:long -- FILE …` runs only those test files, `npm run test:long -- --node FILE …` only those Nodes.
const args = process.argv.slice(2);
const isNodesOnly = args[0] === "--node";
const output = join(root, "test-output", "long");
const { step, count } = createSteps();

ensureInstalled();
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
await step("system packages", async () => ensureSystemPackages());
await step("build", async () => ensureBuilt() && ensureDashboardBuilt() && ensureArenaBuilt());
if (!isNodesOnly) {
  const config = "vitest.long.config.ts";
  await step("long tests (vitest)", () => runTests({ count, output, config, args }), "counted by test");
}
if (isNodesOnly || args.length === 0) await testOtherNodes({ step, count, programs: args.slice(1) });
console.log("");
