import { allowTypeScript, buildOrExit } from "./prepare.mjs";

// `npm run crash -- --cycles 1000 --seed 7` kills the service under load again and again and checks that nothing was lost.
buildOrExit();
await allowTypeScript();
await import("../tests/crash/run.ts");
