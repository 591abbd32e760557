import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { isRunning, ownRange } from "../runtime/driver.ts";
import { type Child, newDataDir, startChild } from "../support/child.ts";
import { createGame, createVersion, type Service, until } from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";
import { createWorld, lobbyPids, lobbyVersion, worldOf } from "../support/runtime-world.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { buildVersion, editionOf, packed, writeSource } from "./source-folder.ts";
import { someArchive, uploadBuild } from "./upload.ts";

/** Two starts of the service on a busy machine. */
const patient = 300_000;
const running: { child: Child; dataDir: string }[] = [];

afterEach(() => {
  for (const { child, dataDir } of running.splice(0)) {
    if (child.process.exitCode === null) child.process.kill("SIGKILL");
    if (!existsSync(join(dataDir, "lobbies"))) continue;
    for (const pid of lobbyPids(dataDir).filter(isRunning)) process.kill(-pid, "SIGKILL");
  }
});

/** A service as a process of its own, which a test kills. */
async function start(dataDir: string, databaseUrl: string | null = null): Promise<{ child: Child; service: Service }> {
  const store = databaseUrl === null ? [] : [`--database-url=${databaseUrl}`];
  const child = await startChild(dataDir, [`--lobby-ports=${ownRange(3)}`, ...store]);
  running.push({ child, dataDir });
  // Cast: what is used of a service here is what a client has.
  return { child, service: child.client as unknown as Service };
}

async function kill({ process, ended }: Child): Promise<void> {
  process.kill("SIGKILL");
  await ended;
}

test(
  "[BU20] kill -9 during an upload leaves no build, and the next start removes what had arrived",
  async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    const game = await createGame(first.service);
    const bytes = someArchive();
    const connection = await openRaw(first.service.port);
    const head = [
      `POST ${game.path}/builds HTTP/1.1`,
      "host: localhost",
      `authorization: Bearer ${first.service.adminToken}`,
      `content-length: ${bytes.length}`,
      "",
      "",
    ].join("\r\n");
    connection.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, bytes.length - 5)]));
    const incoming = () => readdirSync(join(dataDir, "builds/incoming"));
    await until(() => incoming().length === 1);
    await kill(first.child);
    expect(incoming()).toHaveLength(1);
    // As if it had been killed between keeping the archive and adding its row.
    const orphan = join(dataDir, "builds/00000000-0000-7000-8000-000000000000.tar.gz");
    writeFileSync(orphan, bytes);

    const second = await start(dataDir);
    expect([incoming(), existsSync(orphan)]).toEqual([[], false]);
    expect((await second.service.admin("GET", `${game.path}/builds`)).builds).toEqual([]);
    expect((await uploadBuild(second.service, game, { bytes })).status).toBe(200);
  },
  patient,
);

test(
  "[BU20] kill -9 between the archive and its row in PostgreSQL leaves no build; what is left goes after an hour",
  async () => {
    const { databaseUrl } = await freshDatabase("postgresql");
    const sql = new pg.Client(databaseUrl!);
    await sql.connect();
    onTestFinished(() => sql.end());
    const countChunks = async () =>
      (await sql.query("SELECT count(*)::int AS n FROM build_chunks")).rows[0].n as number;
    const dataDir = newDataDir();
    const first = await start(dataDir, databaseUrl);
    const game = await createGame(first.service);
    const bytes = someArchive();
    // Rows can be read, and none can be added.
    await sql.query("BEGIN; LOCK TABLE builds IN SHARE MODE");
    const upload = uploadBuild(first.service, game, { bytes }).catch(() => null);
    await until(async () => (await countChunks()) > 0, 60_000);
    await kill(first.child);
    await sql.query("COMMIT");
    expect(await upload).toBeNull();
    expect(await countChunks()).toBe(1);

    await sql.query("UPDATE build_chunks SET create_ts = create_ts - 2 * 3600 * 1000");
    const second = await start(dataDir, databaseUrl);
    expect(await countChunks()).toBe(0);
    expect((await second.service.admin("GET", `${game.path}/builds`)).builds).toEqual([]);
    expect((await uploadBuild(second.service, game, { bytes })).status).toBe(200);
    expect((await second.service.admin("GET", `${game.path}/builds`)).builds).toHaveLength(1);
  },
  patient,
);

test.each(["sqlite", "postgresql"] as const)(
  "[BU16] kill -9 while a build is unpacked leaves nothing half-made, and the next start unpacks it whole, on %s",
  async (kind) => {
    const dataDir = newDataDir();
    const { databaseUrl = null } = await freshDatabase(kind);
    const first = await start(dataDir, databaseUrl);
    const source = temporaryFolder();
    writeSource(source, "whole");
    // Enough files that unpacking takes a while.
    mkdirSync(join(source, "many"));
    for (let index = 0; index < 10_000; index++) writeFileSync(join(source, "many", String(index)), "x");
    const world = await createWorld(first.service, lobbyVersion());
    const { build_id } = (await uploadBuild(first.service, world.game, { bytes: packed(source) })).json;
    const versionId = await createVersion(first.service, world.game, buildVersion(build_id));
    await first.service.admin("PUT", `${world.namespace.path}/version`, { version_id: versionId });
    const unpacked = () => readdirSync(join(dataDir, "unpacked"));
    await until(() => unpacked().length > 0);
    await kill(first.child);
    expect(unpacked()).toEqual([expect.stringMatching(/^new-/)]);

    const second = await start(dataDir, databaseUrl);
    const again = worldOf(second.service, world.game, world.namespace, world.publicToken);
    expect(await editionOf(await again.find())).toMatchObject({ EDITION: "whole" });
    expect(unpacked()).toEqual([build_id]);
    expect(readdirSync(join(dataDir, "unpacked", build_id, "files/many"))).toHaveLength(10_000);
  },
  patient,
);
