import { allowTypeScript, buildOrExit } from "./prepare.mjs";

// `npm run bench` runs every benchmark of the embedded engine; `npm run bench -- validate-namespace` only those named;
// `npm run bench -- --engine redis` compares nodes on Redis with it.
buildOrExit({ withDashboard: true });
await allowTypeScript();
await import("../benchmarks/run.ts");
