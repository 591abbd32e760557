import { ensureBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// `npm run soak` loads a service, then overloads it, then lets it drain; `-- --minutes 1`, `--engine redis`, `--no-fill` and
// `--no-drain` change that. It exits with 1 when a bound is broken.
ensureInstalled();
if (!ensureBuilt()) {
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}
const { register } = await import("tsx/esm/api");
register();
await import("../benchmarks/soak.ts");
