import { createReadStream, realpathSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, extname, join, sep } from "node:path";
import { isOwnName } from "../../ground/local-host.ts";
import { testPage } from "./test-page.ts";

/** What a page needs to find a lobby; served as /foyer.json. */
export interface PageFacts {
  readonly endpoint: string;
  readonly token: string;
  readonly game_mode: string;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".wasm": "application/wasm",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
};

/** Serves the game's page, or a page for trying a lobby, on this machine only. `project` is the folder that has the SDK installed. */
export async function servePage(
  folder: string | null,
  project: string,
  facts: PageFacts,
  port: number,
): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = URL.canParse(request.url ?? "", "http://localhost")
      ? new URL(request.url!, "http://localhost").pathname
      : "/";
    if (!isOwnName(request.headers.host ?? "") || !["GET", "HEAD"].includes(request.method ?? "")) {
      return void response.writeHead(421).end();
    }
    response.setHeader("cache-control", "no-store");
    if (path === "/foyer.json") return send(response, "application/json", JSON.stringify(facts));
    if (folder === null) return path === "/" ? send(response, types[".html"]!, testPage) : sendMissing(response);
    const sdk = path.startsWith(sdkPath) ? findSdk(project) : null;
    if (sdk !== null) sendFile(sdk, path.slice(sdkPath.length), request, response);
    else sendFile(folder, path, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port }, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page without a bundler imports `./foyer-sdk/client.js`. */
const sdkPath = "/foyer-sdk/";

/** The folder of the SDK that the project has installed; null: it has none. */
function findSdk(project: string): string | null {
  try {
    return dirname(createRequire(join(project, "package.json")).resolve("foyer-sdk/client"));
  } catch {
    return null;
  }
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { "content-type": type }).end(text);
}

function sendMissing(response: ServerResponse): void {
  response
    .writeHead(404, { "content-type": "text/plain; charset=utf-8" })
    .end("There is no such file in the page's folder.\n");
}

function sendFile(folder: string, path: string, request: IncomingMessage, response: ServerResponse): void {
  const file = findFile(folder, path);
  if (file === null) {
    sendMissing(response);
    return;
  }
  response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
  if (request.method === "HEAD") return void response.end();
  createReadStream(file)
    .once("error", () => response.destroy())
    .pipe(response);
}

/** Null: there is none, or it is outside the folder. */
function findFile(folder: string, path: string): string | null {
  try {
    const wanted = join(folder, decodeURIComponent(path));
    const file = realpathSync(statSync(wanted).isDirectory() ? join(wanted, "index.html") : wanted);
    return file.startsWith(realpathSync(folder) + sep) ? file : null;
  } catch {
    return null;
  }
}
