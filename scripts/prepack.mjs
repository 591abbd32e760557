import { ensureArenaBuilt, ensureBuilt, ensureDashboardBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";
import { writeSbom } from "./sbom.mjs";

// npm runs this before `npm pack` and `npm publish` of the service and of the SDK: a package holds what its sources
// compile to, and the service's package the demo and its bill of materials.
ensureInstalled();
if (!ensureBuilt() || !ensureDashboardBuilt() || !ensureArenaBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
writeSbom();
