import { ensureInstalled } from "./ensure-installed.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

// `npm run setup` installs everything that `npm test` needs, and does nothing else.
ensureInstalled();
if (!ensureSystemPackages()) process.exit(1);
console.log("Everything that npm test needs is installed.");
