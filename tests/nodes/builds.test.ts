import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildVersion, editionOf, packed, writeSource } from "../builds/source-folder.ts";
import { uploadBuild } from "../builds/upload.ts";
import { createVersion, type Service, until } from "../support/harness.ts";
import { createWorld, lobbyVersion, type World } from "../support/runtime-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Installation, install } from "./installation.ts";

const hasUnpacked = ({ dataDir }: Service, buildId: string) => existsSync(join(dataDir, "unpacked", buildId));

test("[BU21] a node fetches the builds of deployed versions of its regions, and runs what another node received", async () => {
  const installation = await install();
  const receiver = await installation.start("receiver", { nodeRegions: ["near"] });
  const runner = await installation.start("runner", { nodeRegions: ["far"] });
  const source = temporaryFolder();
  writeSource(source, "shared");
  const regions = { near: {}, far: {} };
  const world = await createWorld(receiver, { ...lobbyVersion(), regions });
  const { build_id } = (await uploadBuild(receiver, world.game, { bytes: packed(source) })).json;
  const config = buildVersion(build_id);
  const duel = { ...config.game_modes.duel, regions: ["far"] };
  const versionId = await createVersion(receiver, world.game, { regions, game_modes: { duel } });
  expect([hasUnpacked(receiver, build_id), hasUnpacked(runner, build_id)]).toEqual([false, false]);

  await receiver.admin("PUT", `${world.namespace.path}/version`, { version_id: versionId });
  // Before any player comes.
  await until(() => hasUnpacked(runner, build_id));
  const found = await world.find();
  expect(found.json.lobby.region.region_id).toBe("far");
  expect(await editionOf(found)).toMatchObject({
    EDITION: "shared",
    PLACE: join(runner.dataDir, "unpacked", build_id, "files"),
  });
  expect(hasUnpacked(receiver, build_id)).toBe(false);
  expect(existsSync(join(receiver.dataDir, "builds", `${build_id}.tar.gz`))).toBe(false);
});

describe("lobbies are placed only on nodes that have their build", () => {
  /** Two nodes; the second has more room. A build is uploaded, and no version names it yet. */
  async function prepare() {
    const installation = await install();
    const small = await installation.start("small", { maxLobbyProcesses: 3 });
    const large = await installation.start("large", { maxLobbyProcesses: 30 });
    const world = await createWorld(small, lobbyVersion());
    const source = temporaryFolder();
    writeSource(source, "placed");
    const { build_id } = (await uploadBuild(small, world.game, { bytes: packed(source) })).json;
    return { installation, small, large, world, build_id };
  }

  async function deploy(service: Service, world: World, build_id: string): Promise<void> {
    const versionId = await createVersion(service, world.game, buildVersion(build_id));
    await service.admin("PUT", `${world.namespace.path}/version`, { version_id: versionId });
  }

  const nodesWith = async (service: Service, world: World, build_id: string) =>
    (await service.admin("GET", `${world.game.path}/builds/${build_id}`)).nodes;

  async function connectTo({ databaseUrl }: Installation): Promise<pg.Client> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  test("[BU23] [BU24] a node that could not unpack the build gets no lobby of it", async () => {
    const { small, large, world, build_id } = await prepare();
    expect(await nodesWith(small, world, build_id)).toEqual([]);
    const unpacked = join(large.dataDir, "unpacked");
    renameSync(unpacked, `${unpacked}-away`);
    writeFileSync(unpacked, "no folder");
    await deploy(small, world, build_id);

    for (let index = 0; index < 2; index++) {
      const found = await world.find();
      expect(found.status).toBe(200);
      expect(await editionOf(found)).toMatchObject({ EDITION: "placed" });
      await small.admin("PUT", `${world.namespace.path}/lobbies/${found.json.lobby.lobby_id}/closed`, {
        is_closed: true,
      });
    }
    expect((await world.lobbies(true)).map(({ node_id, stop_reason }) => [node_id, stop_reason])).toEqual([
      ["small", null],
      ["small", null],
    ]);
    // Each node reports in its own time.
    const isSettled = ({ state }: { state: string }) => state !== "preparing";
    await until(async () => (await nodesWith(small, world, build_id)).every(isSettled), 60_000);
    expect(await nodesWith(small, world, build_id)).toEqual([
      { node_id: "large", state: "failed", message: expect.any(String) },
      { node_id: "small", state: "ready", message: null },
    ]);
  });

  test("[BU23] a find waits while no node has the build, and is answered when one has it", async () => {
    const { installation, small, large, world, build_id } = await prepare();
    const client = await connectTo(installation);
    await client.query("BEGIN; LOCK TABLE build_chunks IN ACCESS EXCLUSIVE MODE");
    await deploy(small, world, build_id);
    let answered = false;
    const finding = world.find().finally(() => {
      answered = true;
    });
    await until(async () => (await world.lobbies()).length === 1);
    await until(async () => (await nodesWith(large, world, build_id)).length === 2);
    // Longer than a lobby without a node waits for a free slot.
    const endsAt = performance.now() + 6_000;
    await until(() => performance.now() > endsAt);
    expect(answered).toBe(false);
    expect(await world.lobbies()).toMatchObject([{ status: "starting", node_id: null }]);
    expect((await nodesWith(large, world, build_id)).map(({ state }: { state: string }) => state)).toEqual([
      "preparing",
      "preparing",
    ]);
    await client.query("COMMIT");
    expect(await editionOf(await finding)).toMatchObject({ EDITION: "placed" });
  });

  test("[BU23] when no node can prepare the build, the lobby ends with the reason for operators", async () => {
    const { installation, small, world, build_id } = await prepare();
    const client = await connectTo(installation);
    await client.query("DELETE FROM build_chunks");
    await deploy(small, world, build_id);
    const found = await world.find();
    expect([found.status, found.json.code]).toEqual([503, "MATCHMAKER_LOBBY_START_FAILED"]);
    expect(JSON.stringify(found.json)).not.toContain(build_id);
    const [lobby] = await world.lobbies(true);
    expect(lobby).toMatchObject({ stop_reason: "start_failed", node_id: null });
    expect(lobby.exit_message).toContain(`The bytes of the build ${build_id} are missing.`);
  });
});
