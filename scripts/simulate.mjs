import { ensureInstalled } from "./ensure-installed.mjs";
import { allowTypeScript } from "./prepare.mjs";

// `npm run simulate -- --steps 10000000 --seed 7` compares the matchmaker with its model for as long as it takes;
// a failure prints the one command that shows it again.
ensureInstalled();
await allowTypeScript();
await import("../tests/model/run.ts");
