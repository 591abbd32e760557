import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { config, createArena } from "../support/arena.ts";
import { type Child, newDataDir, serviceOf, startChild } from "../support/child.ts";
import { createGame, startService, until } from "../support/harness.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { startRedis } from "../support/services/redis.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const patient = { timeout: 240_000 };
const children: Child[] = [];
const mounted: string[] = [];

beforeAll(ensureServerBuilt, 120_000);
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill("SIGKILL");
});
afterAll(() => {
  for (const folder of mounted) spawnSync("umount", [folder]);
});

async function start(dataDir: string): Promise<Child> {
  const child = await startChild(dataDir);
  children.push(child);
  return child;
}

const readyOf = async (client: Child["client"]) => (await client.request("GET", "/readyz")).status;

test.each([
  ["deleted", (dataDir: string) => rmSync(dataDir, { recursive: true })],
  ["moved away", (dataDir: string) => renameSync(dataDir, `${dataDir}-moved`)],
  [
    "replaced by a copy",
    (dataDir: string) => {
      renameSync(dataDir, `${dataDir}-moved`);
      cpSync(`${dataDir}-moved`, dataDir, { recursive: true });
    },
  ],
])("[O30] [O31] a data folder that is %s: nothing is acknowledged after it is noticed", patient, async (_, take) => {
  const dataDir = newDataDir();
  const child = await start(dataDir);
  const arena = await createArena(serviceOf(child, dataDir), config());
  const lobby = await arena.ready();
  expect((await arena.find()).status).toBe(200);

  take(dataDir);
  await until(() =>
    /"level":"?(?:50|error)"?.*was deleted or replaced while Foyer runs.*restart Foyer/.test(child.output()),
  );
  expect((await arena.find()).status).toBe(503);
  expect((await lobby.setClosed(true)).status).toBe(503);
  const game = { display_name: "G", name_id: "another" };
  const { adminToken: token } = child.client;
  expect((await child.client.request("POST", "/cloud/games", { token, body: game })).status).toBe(503);
  await until(async () => (await readyOf(child.client)) === 503);
  expect((await child.client.request("GET", "/healthz")).status).toBe(200);

  mkdirSync(dataDir, { recursive: true });
  expect((await arena.find()).status).toBe(503);
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(0);
});

/** A file system of that size, or null where this user or this system cannot have one. */
function smallDisk(megabytes: number): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const folder = temporaryFolder();
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "none", folder]);
  if (status !== 0) return null;
  mounted.push(folder);
  return folder;
}

const disk = smallDisk(24);
if (disk !== null) {
  test("[O30] on a full disk the service is not ready, and it is again once there is room", patient, async () => {
    const child = await start(disk);
    const arena = await createArena(serviceOf(child, disk), config());
    await arena.ready();
    const ballast = join(disk, "ballast");
    const fill = () => {
      try {
        writeFileSync(ballast, Buffer.alloc(32 * 1024 * 1024));
      } catch {
        // What fits is written, and that is all there is room for.
      }
    };
    await until(async () => {
      fill();
      return (await arena.register().catch(() => null)) === null;
    });
    await until(async () => (await readyOf(child.client)) === 503);
    expect((await arena.list()).status).toBe(200);
    rmSync(ballast);
    await until(async () => (await readyOf(child.client)) === 200);
    await arena.register();
  });
}

test("[O30] a Redis that refuses writes makes the node not ready, until it takes them", patient, async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const service = await startService("redis", { redisUrl: redis.url });
  onTestFinished(() => service.close());
  await createGame(service);
  await until(async () => (await service.request("GET", "/readyz")).status === 200);
  await redis.ask("CONFIG", "SET", "maxmemory", "1");
  await until(async () => (await service.request("GET", "/readyz")).status === 503);
  await redis.ask("CONFIG", "SET", "maxmemory", "0");
  await until(async () => (await service.request("GET", "/readyz")).status === 200);
});
