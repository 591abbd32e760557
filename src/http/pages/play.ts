import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Demo } from "../../operations/cloud/demo-game.ts";
import { storedPage } from "../stored-page.ts";
import { type AdmitPage, addPage } from "./pages.ts";

/** The page of the demo game: every file by its path. */
export type PlayPage = ReadonlyMap<string, { readonly type: string; readonly content: string }>;

/** Reads the folder once; files that are added later are not served. */
export function readPlayPage(folder: string, demo: Demo): PlayPage {
  const files = readdirSync(folder).flatMap((name) => {
    const type = types[extname(name)];
    if (type === undefined) return [];
    const path = name === "index.html" ? "/play" : `/play/${name}`;
    return [[path, { type, content: readFileSync(join(folder, name), "utf8") }] as const];
  });
  const config = JSON.stringify({ public_token: demo.publicToken, game_modes: demo.gameModes });
  return new Map([...files, ["/play/config.json", { type: "application/json; charset=utf-8", content: config }]]);
}

export function addPlayPage(app: FastifyInstance, page: PlayPage, admit: AdmitPage): void {
  for (const [path, { type, content }] of page) {
    addPage(app, admit, path, storedPage(type, content, chooseHeaders(path)));
  }
}

function chooseHeaders(path: string): Record<string, string> {
  if (path === "/play") return { "content-security-policy": policy, "referrer-policy": "no-referrer" };
  // It contains a token, although one that every player may have.
  return path === "/play/config.json" ? { "cache-control": "no-store" } : {};
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

// Lobbies have their own ports, which are not known when the page is sent, so WebSockets may use any address.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
