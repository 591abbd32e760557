import { statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { config, createArena } from "../support/arena.ts";
import { type Child, serviceOf, startChild } from "../support/child.ts";
import { until } from "../support/harness.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { type Ext4Disk, openExt4Disk } from "../support/services/ext4-disk.ts";

const patient = { timeout: 240_000 };

beforeAll(ensureServerBuilt, 120_000);

async function openDisk(): Promise<Ext4Disk> {
  const disk = await openExt4Disk();
  onTestFinished(() => disk.remove());
  return disk;
}

async function startOn(disk: Ext4Disk): Promise<Child> {
  const child = await startChild(disk.folder);
  onTestFinished(async () => {
    child.process.kill("SIGKILL");
    await child.ended;
  });
  return child;
}

/** The journal notes the last commit a second later. A sync that fails in that moment would end the process. */
function untilQuiet({ folder }: Ext4Disk): Promise<void> {
  const note = join(folder, "lobbies.db-synced");
  return until(() => Date.now() - statSync(note).mtimeMs > 3_000);
}

type Play = Awaited<ReturnType<typeof playOn>>;

/** A lobby with two seats taken; `seats` is what the service shows of it. */
async function playOn(child: Child, disk: Ext4Disk) {
  const arena = await createArena(
    serviceOf(child, disk.folder),
    config({ max_players: 20, max_players_direct: 20, timeouts: { reservation_s: 600 } }),
  );
  const lobby = await arena.ready();
  for (let i = 0; i < 2; i++) expect((await arena.find()).status).toBe(200);
  const seats = async () => (await lobby.seen()).reserved_count;
  expect(await seats()).toBe(2);
  await untilQuiet(disk);
  return { arena, lobby, seats };
}

const newGame = (child: Child, name: string) =>
  child.client.request("POST", "/cloud/games", {
    token: child.client.adminToken,
    body: { display_name: "A Game", name_id: name },
  });

const readyOf = async (child: Child) => (await child.client.request("GET", "/readyz")).status;

const report =
  /"level":"?(?:50|error)"?.*The data folder \S+ can no longer be written \((EROFS|EPERM)\)\. Foyer refuses all changes/;

async function expectOnlyReads(child: Child, { arena, lobby, seats }: Play): Promise<void> {
  expect((await arena.find()).status).toBe(503);
  expect((await lobby.setClosed(true)).status).toBe(503);
  expect((await newGame(child, "refused")).status).toBe(503);
  await until(async () => report.test(child.output()) && (await readyOf(child)) === 503);
  expect((await arena.find()).status).toBe(503);
  expect((await newGame(child, "refused")).status).toBe(503);
  expect((await child.client.request("GET", "/healthz")).status).toBe(200);

  const listed = await arena.list();
  expect([listed.status, listed.json.lobbies.length]).toEqual([200, 1]);
  expect(await seats()).toBe(2);
  expect((await child.client.admin("GET", "/cloud/games")).games).toHaveLength(1);
}

test(
  "[FA5] on a disk that becomes read-only changes are refused and reads continue; after its repair and a restart everything acknowledged is there",
  patient,
  async () => {
    const disk = await openDisk();
    const child = await startOn(disk);
    const play = await playOn(child, disk);

    disk.becomeReadOnly();
    await expectOnlyReads(child, play);
    child.process.kill("SIGTERM");
    expect(await child.ended).toBe(0);

    await disk.repair();
    const again = await startOn(disk);
    const later = await again.client.admin("GET", `${play.arena.namespace.path}/lobbies`);
    expect(later.lobbies).toMatchObject([{ status: "ready", reserved_count: 2 }]);
    expect((await newGame(again, "another")).status).toBe(200);
    expect((await again.client.admin("GET", "/cloud/games")).games).toHaveLength(2);
    expect(await readyOf(again)).toBe(200);
  },
);

test("[FA5] files that become read-only and writable again: Foyer continues by itself", patient, async () => {
  const disk = await openDisk();
  const child = await startOn(disk);
  const play = await playOn(child, disk);
  const { arena, lobby, seats } = play;

  await disk.setImmutable(true);
  await expectOnlyReads(child, play);

  await disk.setImmutable(false);
  await until(async () => (await readyOf(child)) === 200);
  expect((await arena.find()).status).toBe(200);
  expect(await seats()).toBe(3);
  expect((await lobby.setClosed(true)).status).toBe(204);
  expect((await newGame(child, "another")).status).toBe(200);

  child.process.kill("SIGKILL");
  await child.ended;
  const again = await startOn(disk);
  const later = await again.client.admin("GET", `${arena.namespace.path}/lobbies`);
  expect(later.lobbies).toMatchObject([{ status: "ready", reserved_count: 3, is_closed: true }]);
});
