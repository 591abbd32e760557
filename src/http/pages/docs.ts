import { existsSync, readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { storedPage } from "../stored-page.ts";
import { plainPage } from "./html.ts";
import { type AdmitPage, addPage } from "./pages.ts";

/** The rendered documentation, as scripts/docs/build.ts writes it. */
interface DocsFiles {
  readonly policy: string;
  readonly files: readonly { readonly url: string; readonly file: string; readonly type: string }[];
}

/** The folder is three up from here, both in src/ and in dist/. */
const folder = new URL("../../../docs/dist/", import.meta.url);

/** `/docs`, everything below it and `/llms.txt`: read once, served from memory. */
export function addDocs(app: FastifyInstance, admit: AdmitPage): void {
  const list = new URL("files.json", folder);
  if (!existsSync(list)) {
    addPage(app, admit, "/docs", storedPage("text/html; charset=utf-8", notBuilt, pageHeaders("default-src 'none'")));
    return;
  }
  const { policy, files } = JSON.parse(readFileSync(list, "utf8")) as DocsFiles;
  for (const { url, file, type } of files) {
    const headers = type.startsWith("text/html") ? pageHeaders(policy) : {};
    addPage(app, admit, url, storedPage(type, readFileSync(new URL(file, folder)), headers));
  }
}

const pageHeaders = (policy: string) => ({
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
});

const notBuilt = plainPage(
  "Documentation",
  "<p>The documentation is not built in this folder; <code>npm start</code> builds it.</p>",
);
