import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, root } from "./ensure-installed.mjs";
import { allowTypeScript, buildOrExit } from "./prepare.mjs";

// `npm run bench:peers` measures Foyer beside other matchmakers; `npm run bench:peers -- --help` says what can be chosen.
// Their packages are in benchmarks/peers/node_modules, by a lock file of their own: Foyer has none of them.
ensureInstalled();
if (!process.argv.some((word) => word === "--help" || word === "-h")) {
  buildOrExit({ withDashboard: true });
  ensurePeersInstalled();
}
await allowTypeScript();
await import("../benchmarks/peers/run.ts");

function ensurePeersInstalled() {
  const cwd = join(root, "benchmarks/peers");
  const stamp = join(cwd, "node_modules/.installed-from");
  const lock = readFileSync(join(cwd, "package-lock.json"), "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  console.error("Installing the peers' packages …");
  // Their engines are not enforced: Colyseus 0.18 asks for Node 22, and its matchmaking runs on Node 20 as well.
  const flags = ["--ignore-scripts", "--engine-strict=false", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["ci", ...flags], { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) {
    console.error(`npm ci failed. Run it by hand in ${cwd} to see why.`);
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}
