import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Demo } from "../../operations/cloud/demo-game.ts";
import { jsonType } from "../errors.ts";
import { storedPage } from "../stored-page.ts";
import { type AdmitPage, addPage } from "./pages.ts";

/** The page of the demo game: every file by its path. */
export type PlayPage = ReadonlyMap<string, PlayFile>;

interface PlayFile {
  readonly type: string;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the folder and the page's script once; files that are added later are not served. */
export function readPlayPage(folder: string, scriptFile: string, demo: Demo): PlayPage {
  const script = readFileSync(scriptFile, "utf8");
  const hash = `sha256-${createHash("sha256").update(script).digest("base64")}`;
  const files = readdirSync(folder).flatMap((name) => {
    const type = types[extname(name)];
    if (type === undefined) return [];
    const path = name === "index.html" ? "/play" : `/play/${name}`;
    const content = readFileSync(join(folder, name), "utf8").replace(scriptTag, `$& integrity="${hash}"`);
    const headers = path === "/play" ? pageHeaders(hash) : {};
    return [[path, { type, content, headers }] as const];
  });
  const config = JSON.stringify({ public_token: demo.publicToken, game_modes: demo.gameModes });
  return new Map([
    ...files,
    ["/play/play.js", { type: "text/javascript; charset=utf-8", content: script, headers: {} }],
    // It contains a token, although one that every player may have.
    ["/play/config.json", { type: jsonType, content: config, headers: { "cache-control": "no-store" } }],
  ]);
}

export function addPlayPage(app: FastifyInstance, page: PlayPage, admit: AdmitPage): void {
  for (const [path, { type, content, headers }] of page) addPage(app, admit, path, storedPage(type, content, headers));
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const scriptTag = '<script type="module" src="/play/play.js"';

/**
 * Lobbies behind the gateway share the origin of the page, so no script of the origin may run but this one. Lobbies may
 * have ports of their own, which are not known when the page is sent, so WebSockets may use any address.
 */
function pageHeaders(hash: string): Record<string, string> {
  const policy = `default-src 'none'; script-src '${hash}'; style-src 'self'; img-src 'self'; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { "content-security-policy": policy, "referrer-policy": "no-referrer" };
}
