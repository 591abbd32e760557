import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildVersion, editionOf, packed, writeSource } from "../builds/source-folder.ts";
import { uploadBuild } from "../builds/upload.ts";
import { createVersion, type Service, until } from "../support/harness.ts";
import { createWorld, lobbyVersion } from "../support/runtime-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { install } from "./installation.ts";

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
