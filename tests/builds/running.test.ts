import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRunning } from "../runtime/driver.ts";
import { createVersion, type Service, startService, until } from "../support/harness.ts";
import {
  connectTo,
  createWorld,
  lobbyPids,
  lobbyVersion,
  runtimeConfig,
  type World,
} from "../support/runtime-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { buildVersion, editionOf, packed, writeSource } from "./source-folder.ts";
import { uploadBuild } from "./upload.ts";

describe.each(["sqlite", "postgresql"] as const)("lobbies with builds on %s", (kind) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(kind, runtimeConfig());
  });
  afterAll(async () => {
    const pids = lobbyPids(service.dataDir);
    await service.close();
    for (const pid of pids.filter(isRunning)) process.kill(-pid, "SIGKILL");
  });

  /** A namespace of a game that has the build deployed. */
  async function deployed(bytes: Buffer, more: object = {}) {
    const world = await createWorld(service, lobbyVersion());
    const build = (await uploadBuild(service, world.game, { bytes })).json;
    const versionId = await createVersion(service, world.game, buildVersion(build.build_id, more));
    await deploy(world, versionId);
    return { world, build, versionId };
  }

  const deploy = (world: World, version_id: string) =>
    service.admin("PUT", `${world.namespace.path}/version`, { version_id });

  async function stopAll(world: World): Promise<void> {
    await service.admin("DELETE", `${world.namespace.path}?force=true`);
    await until(() => lobbyPids(service.dataDir).length === 0);
  }

  test("[BU11] a rollback runs the old bytes, whatever happened to the source folder", async () => {
    const source = temporaryFolder();
    writeSource(source, "one");
    const { world, versionId, build } = await deployed(packed(source));
    const first = await world.find();
    expect(await editionOf(first)).toMatchObject({ EDITION: "one" });
    await service.admin("DELETE", `${world.namespace.path}/lobbies/${first.json.lobby.lobby_id}`);

    writeSource(source, "two");
    const second = (await uploadBuild(service, world.game, { bytes: packed(source) })).json;
    const newer = await createVersion(service, world.game, buildVersion(second.build_id));
    await deploy(world, newer);
    expect(await editionOf(await world.find())).toMatchObject({ EDITION: "two" });

    writeFileSync(join(source, "bin/start"), "#!/bin/sh\nexit 1\n");
    rmSync(join(source, "lobby.mjs"));
    await deploy(world, versionId);
    const again = await world.find();
    expect(again.json.lobby.lobby_id).not.toBe(first.json.lobby.lobby_id);
    const seen = await editionOf(again);
    expect(seen).toMatchObject({ EDITION: "one" });
    expect(seen.PLACE).toBe(join(service.dataDir, "unpacked", build.build_id, "files"));
    await stopAll(world);
  });

  test("[BU12] a command with a slash is in the build, a bare one comes from PATH, an absolute one is the machine's", async () => {
    const source = temporaryFolder();
    writeSource(source, "one");
    const bytes = packed(source);
    const files = (id: string) => join(service.dataDir, "unpacked", id, "files");
    for (const [program, folder] of [
      [{ command: "node", args: ["lobby.mjs"] }, ""],
      [{ command: process.execPath, args: ["../lobby.mjs"], cwd: "bin" }, "bin"],
      [{ command: "bin/start", cwd: "./bin" }, "bin"],
    ] as const) {
      const { world, build } = await deployed(bytes, program);
      const player = await connectTo(await world.find());
      const [pid] = (await player.ask("hello")).split(" ");
      player.close();
      expect(execFileSync("readlink", [`/proc/${pid}/cwd`], { encoding: "utf8" }).trim()).toBe(
        join(files(build.build_id), folder),
      );
      await stopAll(world);
    }
  });

  test("[BU13] a build whose bytes are missing fails the start with the reason for operators; the same bytes again repair it", async () => {
    const source = temporaryFolder();
    writeSource(source, "one");
    const world = await createWorld(service, lobbyVersion());
    const bytes = packed(source);
    const { build_id } = (await uploadBuild(service, world.game, { bytes })).json;
    await loseBytes(service, build_id);
    const versionId = await createVersion(service, world.game, buildVersion(build_id));
    await deploy(world, versionId);
    const failed = await world.find();
    expect([failed.status, failed.json.code]).toEqual([503, "MATCHMAKER_LOBBY_START_FAILED"]);
    expect(failed.text).not.toContain(build_id);
    const [lobby] = await world.lobbies(true);
    expect(lobby).toMatchObject({ stop_reason: "start_failed" });
    expect(JSON.stringify(lobby)).toContain(`The bytes of the build ${build_id} are missing.`);
    expect(readdirSync(join(service.dataDir, "unpacked")).filter((name) => /^new-/.test(name))).toEqual([]);

    expect((await uploadBuild(service, world.game, { bytes })).json.build_id).toBe(build_id);
    await until(async () => (await world.find()).status === 200);
    expect(await editionOf(await world.find())).toMatchObject({ EDITION: "one" });
    await stopAll(world);
  });

  if (kind === "sqlite") {
    test("[BU13] damaged bytes are noticed before anything runs", async () => {
      const source = temporaryFolder();
      writeSource(source, "one");
      const world = await createWorld(service, lobbyVersion());
      const { build_id } = (await uploadBuild(service, world.game, { bytes: packed(source) })).json;
      writeSource(source, "evil");
      writeFileSync(join(service.dataDir, "builds", `${build_id}.tar.gz`), packed(source));
      await deploy(world, await createVersion(service, world.game, buildVersion(build_id)));
      expect((await world.find()).json.code).toBe("MATCHMAKER_LOBBY_START_FAILED");
      expect(JSON.stringify(await world.lobbies(true))).toContain("damaged");
      expect(existsSync(join(service.dataDir, "unpacked", build_id))).toBe(false);
      await stopAll(world);
    });
  }
});

async function loseBytes(service: Service, buildId: string): Promise<void> {
  if (service.databaseUrl === null) {
    rmSync(join(service.dataDir, "builds", `${buildId}.tar.gz`));
    return;
  }
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const { rowCount } = await client.query("delete from build_chunks where build_id = $1", [buildId]);
  await client.end();
  expect(rowCount).toBe(1);
}
