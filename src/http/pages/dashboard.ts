import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { storedPage } from "../stored-page.ts";
import { plainPage } from "./html.ts";
import { type AdmitPage, addPage } from "./pages.ts";

/** The built dashboard: its page, and the files that the page loads, by their path. */
export interface Dashboard {
  readonly page: string;
  readonly assets: ReadonlyMap<string, { readonly type: string; readonly content: string }>;
}

/** Reads the folder once; a later build is served after the next start. Null: the dashboard is not built. */
export function readDashboard(folder: string): Dashboard | null {
  const page = join(folder, "index.html");
  if (!existsSync(page)) return null;
  const assets = readdirSync(join(folder, "assets")).flatMap((name) => {
    const type = types[extname(name)];
    if (type === undefined) return [];
    return [[`/assets/${name}`, { type, content: readFileSync(join(folder, "assets", name), "utf8") }] as const];
  });
  return { page: readFileSync(page, "utf8"), assets: new Map(assets) };
}

/** The page reads from its address what it shows, so all addresses below `/dashboard` are the same page. */
export function addDashboard(app: FastifyInstance, dashboard: Dashboard | null, admit: AdmitPage): void {
  if (dashboard === null) {
    addPage(app, admit, "/", storedPage(htmlType, notBuilt, headersFor([])));
    return;
  }
  const page = storedPage(htmlType, dashboard.page, headersFor(hashScripts(dashboard)));
  for (const url of ["/", "/dashboard", "/dashboard/*"]) addPage(app, admit, url, page);
  for (const [path, { type, content }] of dashboard.assets) {
    // A file with other content has another name.
    const headers = { "cache-control": "public, max-age=31536000, immutable" };
    addPage(app, admit, path, storedPage(type, content, headers));
  }
}

/** The hashes of the scripts that the page loads, as its policy names them. */
function hashScripts({ page, assets }: Dashboard): string[] {
  return [...page.matchAll(/<script\b[^>]*\bsrc="([^"]+)"/g)].map(([, path]) => {
    const script = assets.get(path!);
    if (script === undefined) throw new Error(`the dashboard's page loads ${path}, which its build does not have`);
    return `'sha256-${createHash("sha256").update(script.content).digest("base64")}'`;
  });
}

/**
 * Lobbies behind the gateway may share the origin, so 'self' would let the page run their scripts. The browser compares
 * the hashes with the `integrity` of the script element.
 */
function headersFor(scriptHashes: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src ${scriptHashes.join(" ") || "'none'"}`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  };
}

const htmlType = "text/html; charset=utf-8";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const notBuilt = plainPage(
  "Foyer is running",
  "<p>The dashboard is not built in this folder; <code>npm start</code> builds it.</p>",
);
