import { allowTypeScript, buildOrExit } from "./prepare.mjs";

// `npm run fuzz -- --requests 1000000 --seed 7` sends requests of every kind to every operation and compares the answers
// with openapi.json; a failure prints the one command that sends the request again.
buildOrExit();
await allowTypeScript();
await import("../tests/fuzz/run.ts");
