import { allowTypeScript } from "../scripts/prepare.mjs";

// Started by attacks.ts in a network of its own.
await allowTypeScript();
const { measure } = await import("./attacks.ts");
console.log(await measure({ isLong: process.argv.includes("--long") }));
