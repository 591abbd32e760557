import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./ensure-built.mjs";
import { root } from "./ensure-installed.mjs";

// Writes the contract as OpenAPI into the repository, for code generators; a test keeps it up to date.
if (!ensureBuilt()) process.exit(1);
const { openApiDocument } = await import("../dist/contract/openapi.js");
writeFileSync(join(root, "openapi.json"), `${JSON.stringify(openApiDocument(null), null, 2)}\n`);
