import { ensureBuilt, ensureDashboardBuilt, ensureSdkBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// npm runs this before `npm pack` and `npm publish` of the service and of the SDK: a package holds what its sources
// compile to.
ensureInstalled();
if (!ensureBuilt() || !ensureDashboardBuilt() || !ensureSdkBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
