import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";
import { runTests } from "./vitest-run.mjs";

const testFiles = [
  "tests/node-versions.test.ts",
  "tests/conformance/memory.test.ts",
  "tests/conformance/redis.test.ts",
  "tests/engine/sqlite-journal.test.ts",
  "tests/store/edges-sqlite.test.ts",
  "tests/store/edges-postgresql.test.ts",
];
const pins = join(root, "scripts/other-nodes");
const cache = join(root, ".other-nodes");

/** The start, the core operations and both engines with each of these Nodes; with none given, with those that it installs. */
export async function testOtherNodes({ step, count, programs: given }) {
  let programs = given;
  if (programs.length === 0) {
    await step("other versions of Node", async () => {
      programs = installNodes();
      return programs.length > 0;
    });
  }
  for (const node of programs) {
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    const output = join(root, "test-output", `node-${version}`);
    mkdirSync(output, { recursive: true });
    await step(`Node ${version} (vitest)`, () => runTests({ count, output, args: testFiles, node }), "counted by test");
  }
}

/**
 * The programs that scripts/other-nodes/package.json names for this platform. Its lock file has their exact versions and
 * checksums, which `npm ci` checks.
 */
function installNodes() {
  const platform = `${process.platform}-${process.arch}`;
  const { optionalDependencies } = JSON.parse(readFileSync(join(pins, "package.json"), "utf8"));
  const names = Object.keys(optionalDependencies).filter((name) => name.endsWith(`-${platform}`));
  if (names.length === 0) {
    console.error(
      `  There is no package of Node for ${platform}. Install Node 22 and 24 yourself and run: npm run test:long -- --node FILE_OF_NODE_22 FILE_OF_NODE_24`,
    );
    return [];
  }
  const found = names.map((name) => join(cache, "node_modules", name, "bin/node"));
  if (isInstalled(found)) return found;

  mkdirSync(cache, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(pins, name), join(cache, name));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", ["ci", ...flags], { cwd: cache, stdio: ["ignore", 2, 2] });
  // npm reports success when an optional package could not be downloaded.
  const missing = found.filter((file) => !existsSync(file));
  if (status === 0 && missing.length === 0) return found;
  console.error(
    `  npm ci in ${cache} did not install Node. Is the npm registry reachable? Run it there by hand to see why.`,
  );
  return [];
}

function isInstalled(found) {
  const installed = join(cache, "package-lock.json");
  const isSame = existsSync(installed) && readFileSync(installed).equals(readFileSync(join(pins, "package-lock.json")));
  return isSame && found.every((file) => existsSync(file));
}
