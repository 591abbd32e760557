import { ensureArenaBuilt, ensureBuilt, ensureDashboardBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// Installs and builds what is missing, then runs the foyer command in the same process with the same arguments, so
// signals and the exit code need no forwarding.
ensureInstalled();
if (!ensureBuilt() || !ensureDashboardBuilt() || !ensureArenaBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
await import("../dist/cli/foyer.js");
