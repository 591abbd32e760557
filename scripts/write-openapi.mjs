import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./ensure-built.mjs";
import { root } from "./ensure-installed.mjs";
import { sdkFiles } from "./sdk-files.mjs";

// Writes what is made from the contract into the repository: openapi.json, for code generators, and the generated
// part of the SDK. Tests keep both up to date.
if (!ensureBuilt()) process.exit(1);
const modules = ["index", "define", "errors", "openapi"].map((name) => import(`../dist/contract/${name}.js`));
const contract = Object.assign({}, ...(await Promise.all(modules)));
writeFileSync(join(root, "openapi.json"), `${JSON.stringify(contract.openApiDocument(null), null, 2)}\n`);
const generated = join(root, "sdk/src/generated");
mkdirSync(generated, { recursive: true });
for (const [name, text] of Object.entries(sdkFiles(contract))) writeFileSync(join(generated, name), text);
