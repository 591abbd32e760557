import { ensureBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// `npm run crash -- --cycles 1000 --seed 7` kills the service under load again and again and checks that nothing was lost.
ensureInstalled();
if (!ensureBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
const { register } = await import("tsx/esm/api");
register();
await import("../tests/crash/run.ts");
