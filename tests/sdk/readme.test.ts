import { execFile } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
// It brings no types, and this test needs four of its methods.
// @ts-expect-error
import { WebSocket } from "ws";
import type { TestFoyer } from "../../sdk/src/testing.ts";
import { startChromium } from "../browser/chromium.ts";
import { until } from "../support/harness.ts";
import { root } from "../support/repository.ts";
import { bundle, createSdkProject, type Program, runProgram, startTestFoyer } from "./sdk-project.ts";

const run = promisify(execFile);
const text = readFileSync(join(root, "sdk/README.md"), "utf8");
/** The examples by the names that the page gives them. */
const examples = new Map([...text.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]));

let project: string;
let foyer: TestFoyer;
let browser: Browser;
const pages = createServer();
const programs: Program[] = [];

beforeAll(async () => {
  project = await createSdkProject();
  for (const [name, code] of examples) writeFileSync(join(project, name), code);
  cpSync(join(root, "tests/sdk/colyseus-stand-in"), join(project, "node_modules/colyseus"), { recursive: true });
  const gameModes = { duel: { max_players: 2, timeouts: { reconnect_s: 60 } } };
  foyer = await startTestFoyer(project, { gameModes });
  browser = await startChromium();
  await once(pages.listen(0, "127.0.0.1"), "listening");
});

afterAll(async () => {
  await browser?.close();
  for (const { child, ended } of programs) {
    child.kill("SIGTERM");
    await ended;
  }
  pages.close();
  await foyer?.stop();
});

/** An example in a new lobby, which it makes ready. */
async function startLobby(file: string): Promise<string> {
  const probe = createServer();
  await once(probe.listen(0, "127.0.0.1"), "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const { env, lobbyId } = await foyer.registerLobby({ port });
  programs.push(runProgram(project, file, env));
  return lobbyId;
}

async function stopLobbies(): Promise<void> {
  for (const { child, ended, output } of programs.splice(0)) {
    child.kill("SIGTERM");
    expect({ code: await ended, output: output() }).toEqual({ code: 0, output: "" });
  }
}

/** Opens a page of a browser that runs an example as it is printed, but for the port of Foyer. */
async function openPage(name: string): Promise<{ page: Page; lines: string[] }> {
  const printed = examples.get(name)!.replaceAll("http://127.0.0.1:7100", foyer.endpoint);
  const script = await bundle(project, printed);
  pages.removeAllListeners("request");
  pages.on("request", (request, response) => {
    const isScript = request.url === "/script.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    const token = JSON.stringify(foyer.publicToken);
    const html = `<!doctype html><script>globalThis.publicToken = ${token}</script><script type="module" src="/script.js"></script>`;
    response.end(isScript ? script : html);
  });
  const page = await browser.newPage();
  const lines: string[] = [];
  page.on("console", (message) => void lines.push(message.text()));
  page.on("pageerror", (error) => void lines.push(String(error)));
  page.on("websocket", (socket) => {
    socket.on("framereceived", ({ payload }) => void lines.push(String(payload)));
    socket.on("framesent", ({ payload }) => void lines.push(String(payload).slice(0, 7)));
  });
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  return { page, lines };
}

test("[SK11] every example of the README compiles", async () => {
  expect([...examples.keys()]).toEqual([
    ...["server.js", "client.js", "returning.js", "browser.js", "operator.js", "server.test.js", "room.js"],
  ]);
  const types = `declare const publicToken: string;\ndeclare module "ws";\ndeclare module "colyseus";\n`;
  writeFileSync(join(project, "globals.d.ts"), types);
  symlinkSync(join(root, "node_modules/@types"), join(project, "node_modules/@types"));
  const compilerOptions = {
    ...{ target: "es2023", lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"], module: "nodenext" },
    ...{ types: ["node"], allowJs: true, checkJs: true, noEmit: true, strict: true, noImplicitAny: false },
    // The README says `process.env.FOYER_URL`, which may be undefined for a compiler.
    ...{ skipLibCheck: true, useUnknownInCatchVariables: false, strictNullChecks: false },
  };
  const files = [...examples.keys(), "globals.d.ts"];
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [compiler], { cwd: project }).catch((error) => error);
  expect(stdout).toBe("");
});

test("[SK11] the README's server and client meet: two tabs of Chromium in one lobby", async () => {
  const lobbyId = await startLobby("server.js");
  await foyer
    .matchmaker()
    .join(lobbyId)
    .then(({ player }) => foyer.matchmaker().release(player.token));
  const tabs = [await openPage("client.js"), await openPage("client.js")];
  for (const { lines } of tabs) await until(async () => lines.includes("Welcome."));
  expect(tabs.map(({ lines }) => lines)).toEqual(tabs.map(() => ["player_", "Welcome."]));
  const view = foyer.admin.games.namespaces.lobbies.get(foyer.gameId, foyer.namespaceId, lobbyId);
  expect((await view).lobby.players.map(({ status }) => status)).toEqual(["connected", "connected"]);
  for (const { page } of tabs) await page.close();
  await stopLobbies();
});

test("[SK11] the README's returning player has the same seat after a reload", async () => {
  const lobbyId = await startLobby("server.js");
  const { page, lines } = await openPage("returning.js");
  await until(async () => lines.length === 1);
  await page.reload();
  await until(async () => lines.length === 2);
  expect(lines).toEqual([lobbyId, lobbyId]);
  const view = await foyer.admin.games.namespaces.lobbies.get(foyer.gameId, foyer.namespaceId, lobbyId);
  expect(view.lobby.players).toHaveLength(1);
  await page.close();
  await stopLobbies();
});

test("[SK11] the README's server browser shows lobbies as they change", async () => {
  const lobbyId = await startLobby("server.js");
  await foyer.matchmaker().join(lobbyId);
  const { page, lines } = await openPage("browser.js");
  await until(async () => lines.length === 1);
  await foyer.matchmaker().join(lobbyId);
  await until(async () => lines.length === 2);
  expect(lines).toEqual(["1/2", "2/2"]);
  await page.close();
  await stopLobbies();
});

test("[SK11] the README's operator sees issues, lobbies and a refusal", async () => {
  const lobbyId = await startLobby("server.js");
  const program = runProgram(project, "operator.js", {
    FOYER_URL: foyer.endpoint,
    FOYER_ADMIN_TOKEN: foyer.adminToken,
  });
  expect(await program.ended).toBe(0);
  const [issues, lobby, refusal] = program.output().trim().split("\n");
  expect([issues, lobby, refusal]).toEqual(["[]", lobbyId, expect.stringMatching(/^CLOUD_LOBBY_NOT_FOUND \S+$/)]);
  await stopLobbies();
});

test("[SK11] the README's test of a server passes", async () => {
  const program = runProgram(project, "server.test.js", {}, ["--test"]);
  expect({ code: await program.ended, output: program.output() }).toMatchObject({ code: 0 });
});

test("[SK11] the README's Colyseus room admits, holds and frees seats", async () => {
  const lobbyId = await startLobby("room.js");
  const seat = await foyer.matchmaker().join(lobbyId);
  const statuses = async () => {
    const view = await foyer.admin.games.namespaces.lobbies.get(foyer.gameId, foyer.namespaceId, lobbyId);
    return view.lobby.players.map(({ status }) => status);
  };
  const enter = async (playerToken: string) => {
    const socket = new WebSocket(seat.ports.default!.url!);
    await once(socket, "open");
    socket.send(JSON.stringify({ name: "game", options: { playerToken } }));
    const [answer] = await Promise.race([once(socket, "message"), once(socket, "close")]);
    return { socket, answer: String(answer) };
  };
  expect((await enter("player_nonsense")).answer).toBe("4215");
  const first = await enter(seat.player.token);
  expect([first.answer, await statuses()]).toEqual(["joined", ["connected"]]);
  first.socket.terminate();
  await until(async () => (await statuses())[0] === "held");
  const second = await enter(seat.player.token);
  expect([second.answer, await statuses()]).toEqual(["joined", ["connected"]]);
  const replaced = once(second.socket, "close");
  const third = await enter(seat.player.token);
  expect((await replaced)[0]).toBe(4004);
  third.socket.close(4000);
  await until(async () => (await statuses()).length === 0);
  await stopLobbies();
});

const tokenless = `
  import { createMatchmaker } from "foyer-sdk/client";
  const matchmaker = createMatchmaker({ endpoint: "https://foyer.example.com" });
  const [nearest] = await matchmaker.regionsByLatency();
  console.log(nearest.region_id, nearest.latencyMs);
  const controller = new AbortController();
  const waiting = matchmaker.find("duel", { signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  console.log(await waiting.catch((error) => error.name));
`;

test("[SK6] a page of Chromium on a trusted domain needs no token, and may give up a find that waits", async () => {
  const { namespaces } = foyer.admin.games;
  await namespaces.addNamespaceDomain(foyer.gameId, foyer.namespaceId, { domain: "play.example.com" });
  await namespaces.toggleNamespaceDomainPublicAuth(foyer.gameId, foyer.namespaceId, { enabled: true });
  // It is never ready, so that a find waits for it.
  const { lobbyId } = await foyer.registerLobby({ port: 50124 });
  const script = await bundle(project, tokenless);
  const page = await browser.newPage();
  const lines: string[] = [];
  page.on("console", (message) => void lines.push(message.text()));
  page.on("pageerror", (error) => void lines.push(String(error)));
  await page.route("https://play.example.com/", (route) =>
    route.fulfill({ contentType: "text/html", body: `<!doctype html><script type="module">${script}</script>` }),
  );
  await page.route("https://foyer.example.com/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: foyer.endpoint + pathname }) });
  });
  await page.goto("https://play.example.com/");
  await until(async () => lines.length === 2);
  expect(lines).toEqual(["local null", "AbortError"]);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.close();
  await namespaces.lobbies.stop(foyer.gameId, foyer.namespaceId, lobbyId);
});
