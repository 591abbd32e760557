import { ensureBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// `npm run fuzz -- --requests 1000000 --seed 7` sends requests of every kind to every operation and compares the answers
// with openapi.json; a failure prints the one command that sends the request again.
ensureInstalled();
if (!ensureBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
const { register } = await import("tsx/esm/api");
register();
await import("../tests/fuzz/run.ts");
