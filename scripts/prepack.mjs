import { ensureBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// npm runs this before `npm pack` and `npm publish`: the package holds what the sources compile to.
ensureInstalled();
if (!ensureBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
