import { ensureInstalled } from "./ensure-installed.mjs";
import { writeList, writeSbom } from "./sbom.mjs";

// `npm run sbom` writes sbom.cdx.json and THIRD_PARTY.md from package-lock.json.
ensureInstalled();
writeSbom();
writeList();
console.log("Wrote sbom.cdx.json and THIRD_PARTY.md.");
