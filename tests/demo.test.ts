import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type RunningFoyer, startFoyer } from "../src/app/main.ts";
import { type Config, defaultConfig } from "../src/config/config.ts";
import { createLog } from "../src/ground/log.ts";
import { ownRange } from "./runtime/driver.ts";
import { clientOf, noteIssued } from "./support/harness.ts";
import { ensureArenaBuilt } from "./support/server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const running = new Set<RunningFoyer>();

beforeAll(ensureArenaBuilt);

afterEach(async () => {
  for (const foyer of running) await foyer.close({ stopLobbies: true });
  running.clear();
});

async function start(dataDir: string, overrides: Partial<Config> = {}, lines: string[] = []) {
  const log = createLog({ level: "debug", format: "json", destination: { write: (line) => void lines.push(line) } });
  const ports = { port: 0, metricsPort: null, lobbyPorts: ownRange() };
  const foyer = await startFoyer(defaultConfig({ ...ports, dataDir, ...overrides }), log);
  running.add(foyer);
  noteIssued(foyer.adminToken.token);
  const client = clientOf("sqlite", foyer.url, foyer.adminToken.token);
  const stop = async () => {
    running.delete(foyer);
    await foyer.close({ stopLobbies: true });
  };
  return { ...client, demoUrl: foyer.demoUrl, stop };
}

const keptIn = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8"));

test("a new data folder gets the demo game, its page, and a file that only the owner reads", async () => {
  const dataDir = temporaryFolder();
  const foyer = await start(dataDir);
  expect(foyer.demoUrl).toBe(`${foyer.url}/play`);
  const { games } = await foyer.admin("GET", "/cloud/games");
  expect(games).toMatchObject([{ name_id: "arena", display_name: "Arena" }]);
  const { namespace } = await foyer.admin("GET", "/cloud/games/arena/namespaces/demo");
  const kept = keptIn(dataDir);
  expect(namespace).toMatchObject({ namespace_id: kept.namespace_id, version_id: kept.version_id });
  expect(statSync(join(dataDir, "demo.json")).mode & 0o777).toBe(0o600);
  const config = await foyer.request("GET", "/play/config.json");
  expect(config.json).toEqual({ public_token: kept.public_token, game_modes: ["arena"] });
});

test("[AU6] the set-up of the demo is in the audit log, and logged below info", async () => {
  const lines: string[] = [];
  const foyer = await start(temporaryFolder(), {}, lines);
  const { entries } = await foyer.admin("GET", "/cloud/audit");
  expect(entries.map(({ request_id }: { request_id: string }) => request_id)).toEqual(Array(5).fill("start"));
  const logged = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit !== undefined);
  expect(logged.map(({ audit }) => audit).reverse()).toEqual(entries);
  expect(new Set(logged.map(({ level }) => level))).toEqual(new Set(["debug"]));
});

test("[T62] the page and its files are served as what they are, and only from this service", async () => {
  const foyer = await start(temporaryFolder());
  const page = await foyer.request("GET", "/play");
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  const files = [...page.text.matchAll(/(?:src|href)="(\/play\/[^"]+)"/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThan(2);
  expect(page.headers).toMatchObject({ "cache-control": "no-cache", etag: expect.stringMatching(/^"/) });
  expect((await foyer.request("GET", "/play/config.json")).headers["cache-control"]).toBe("no-store");
  for (const file of files) expect((await foyer.request("GET", file)).status).toBe(200);
  for (const path of [
    "/play/",
    "/play/server.mjs",
    "/play/page/play.js",
    "/play/..%2fserver.mjs",
    "/play/index.html",
  ]) {
    expect((await foyer.request("GET", path)).status).toBe(404);
  }
  expect((await foyer.request("GET", "/play/config.json", { headers: { host: "evil.example" } })).status).toBe(421);
});

test("[EX1] the page has one script, and the policy names its hash", async () => {
  const foyer = await start(temporaryFolder());
  const [page, script] = [await foyer.request("GET", "/play"), await foyer.request("GET", "/play/play.js")];
  const hash = `sha256-${createHash("sha256").update(script.text).digest("base64")}`;
  const tag = `<script type="module" src="/play/play.js" integrity="${hash}"></script>`;
  expect(page.text.match(/<script.*?<\/script>/gs)).toEqual([tag]);
  expect(page.headers["content-security-policy"]).toContain(`default-src 'none'; script-src '${hash}'; style-src`);
});

test("a second start offers the same demo, and makes nothing new", async () => {
  const dataDir = temporaryFolder();
  const first = await start(dataDir);
  const kept = keptIn(dataDir);
  await first.stop();
  const second = await start(dataDir);
  expect((await second.request("GET", "/play/config.json")).json.public_token).toBe(kept.public_token);
  expect(keptIn(dataDir)).toEqual(kept);
  expect((await second.admin("GET", "/cloud/games/arena/versions")).versions).toHaveLength(1);
});

test("a demo whose program moved gets a version with the new path, unless another version was deployed", async () => {
  const dataDir = temporaryFolder();
  const first = await start(dataDir);
  await first.stop();
  // Another address to listen on is another version, as another place of the program would be.
  const moved = await start(dataDir, { lobbyBind: "127.0.0.1" });
  const { namespace } = await moved.admin("GET", "/cloud/games/arena/namespaces/demo");
  expect(namespace.version_id).toBe(keptIn(dataDir).version_id);
  const { versions } = await moved.admin("GET", "/cloud/games/arena/versions");
  expect(versions).toHaveLength(2);
  const older = versions.find((version: { version_id: string }) => version.version_id !== namespace.version_id);
  await moved.admin("PUT", "/cloud/games/arena/namespaces/demo/version", { version_id: older.version_id });
  await moved.stop();
  const third = await start(dataDir);
  expect((await third.admin("GET", "/cloud/games/arena/versions")).versions).toHaveLength(2);
});

test("a service that has games is left alone, and a deleted demo stays away", async () => {
  const used = temporaryFolder();
  const own = await start(used, { demo: false });
  expect(own.demoUrl).toBeNull();
  expect((await own.request("GET", "/play")).status).toBe(404);
  await own.admin("POST", "/cloud/games", { display_name: "Mine", name_id: "mine" });
  await own.stop();
  const again = await start(used);
  expect(again.demoUrl).toBeNull();
  expect((await again.admin("GET", "/cloud/games")).games).toHaveLength(1);

  const dataDir = temporaryFolder();
  const first = await start(dataDir);
  await first.admin("DELETE", "/cloud/games/arena?force=true");
  await first.stop();
  const second = await start(dataDir);
  expect(second.demoUrl).toBeNull();
  expect((await second.admin("GET", "/cloud/games")).games).toEqual([]);
});

test("without programs on this machine there is no demo, and what is in its file is not trusted blindly", async () => {
  const external = await start(temporaryFolder(), { runtimes: ["external"] });
  expect(external.demoUrl).toBeNull();
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, "demo.json"), "oops");
  const odd = await start(dataDir);
  expect(odd.demoUrl).toBeNull();
  expect((await odd.admin("GET", "/cloud/games")).games).toEqual([]);
});

test("the version in the demo's README starts as it stands, from the folder of the repository", async () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const readme = readFileSync(join(root, "examples/arena/README.md"), "utf8");
  const config = JSON.parse(/```json\n(.+?)```/s.exec(readme)![1]!);
  const foyer = await start(temporaryFolder(), { demo: false, lobbyRoot: root });
  await foyer.admin("POST", "/cloud/games", { display_name: "Own", name_id: "own" });
  const version = await foyer.admin("POST", "/cloud/games/own/versions", { display_name: "First", config });
  const namespace = { display_name: "Prod", name_id: "prod", ...version };
  await foyer.admin("POST", "/cloud/games/own/namespaces", namespace);
  const { token } = await foyer.admin("POST", "/cloud/games/own/namespaces/prod/tokens/public");
  const found = await foyer.request("POST", "/matchmaker/lobbies/find", { token, body: { game_modes: ["arena"] } });
  expect(found.status).toBe(200);
  expect(found.json.ports.default.url).toMatch(/^ws:/);
});
