import { allowTypeScript, buildOrExit } from "./prepare.mjs";

// `npm run soak` loads a service, then overloads it, then lets it drain; `-- --minutes 1`, `--engine redis`, `--no-fill` and
// `--no-drain` change that. It exits with 1 when a bound is broken.
buildOrExit();
await allowTypeScript();
await import("../benchmarks/soak.ts");
