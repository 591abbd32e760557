import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { root } from "./contents.ts";
import { createHighlight } from "./highlight.ts";
import { buildSearchIndex } from "./search.ts";
import { planSite } from "./site.ts";
import { operationsFile } from "./try-data.ts";

// Renders the documentation into the folder that is the first argument. scripts/ensure-built.mjs runs it.

interface StoredFile {
  readonly url: string;
  readonly file: string;
  readonly type: string;
}

const out = process.argv[2]!;
const files: StoredFile[] = [];
const types = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
};

function store(url: string, extension: keyof typeof types, content: string): void {
  const file = url.endsWith(`.${extension}`) ? url.slice(1) : `${url.slice(1)}.${extension}`;
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), content);
  files.push({ url, file, type: types[extension] });
}

async function bundleScript(): Promise<string> {
  const input = fileURLToPath(new URL("client/main.js", import.meta.url));
  const build = await rolldown({ input, platform: "browser" });
  const { output } = await build.generate({ format: "iife", minify: true });
  await build.close();
  return output[0].code;
}

const script = await bundleScript();
const scriptHash = `sha256-${createHash("sha256").update(script).digest("base64")}`;
const { pages, llms, render } = planSite(await createHighlight());
for (const page of pages) {
  store(page.url, "html", render(page, scriptHash));
  store(`${page.url}.md`, "md", page.markdown);
}
store("/llms.txt", "txt", llms);
store("/docs/search.json", "json", buildSearchIndex(pages));
store("/docs/operations.json", "json", operationsFile());
store("/docs/site.js", "js", script);
store("/docs/site.css", "css", readFileSync(new URL("site.css", import.meta.url), "utf8"));
// One sign for the whole product.
store("/docs/logo.svg", "svg", readFileSync(join(root, "dashboard/src/foyer.svg"), "utf8"));
const pictures = join(root, "docs/pictures");
for (const name of readdirSync(pictures)) {
  store(`/docs/pictures/${name}`, "svg", readFileSync(join(pictures, name), "utf8"));
}
// Lobbies may share the origin, so scripts are allowed by their hash and not by where they come from.
const policy = `default-src 'none'; script-src '${scriptHash}'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
writeFileSync(join(out, "files.json"), JSON.stringify({ policy, files }));
