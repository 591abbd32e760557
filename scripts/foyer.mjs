import { ensureBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// Installs and builds what is missing, then becomes the foyer command: same process, same arguments, so that signals
// and the exit code need no passing on.
ensureInstalled();
if (!ensureBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
await import("../dist/cli/foyer.js");
