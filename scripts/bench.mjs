import { ensureBuilt, ensureDashboardBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// `npm run bench` runs every benchmark of the embedded engine; `npm run bench -- validate-namespace` only those named;
// `npm run bench -- --engine redis` compares nodes on Redis with it.
ensureInstalled();
if (!ensureBuilt() || !ensureDashboardBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
const { register } = await import("tsx/esm/api");
register();
await import("../benchmarks/run.ts");
