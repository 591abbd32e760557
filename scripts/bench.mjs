import { ensureBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// `npm run bench` runs every benchmark; `npm run bench -- validate-namespace` only those named.
ensureInstalled();
if (!ensureBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
const { register } = await import("tsx/esm/api");
register();
await import("../benchmarks/run.ts");
