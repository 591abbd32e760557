import { randomBytes } from "node:crypto";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Build, deleteUnnamedBuilds, findBuildById, insertBuild } from "../../src/store/builds.ts";
import type { Db } from "../../src/store/db.ts";
import { deleteVersion } from "../../src/store/delete-version.ts";
import { openBuildArchive } from "../../src/store/open-build-archive.ts";
import { insertVersion } from "../../src/store/versions.ts";
import { storeKinds } from "../support/services/stores.ts";
import { deleteGame, emptyStore, folder, newId, now, storedGame, version } from "./fixtures.ts";

const noLimits = { buildsMax: 100, bytesMax: 1e12 };
const dayMs = 24 * 60 * 60_000;

async function storedBuild(db: Db, gameId: string, fields: Partial<Build> = {}): Promise<Build> {
  const sha256 = randomBytes(32).toString("hex");
  const build = { buildId: newId(), gameId, displayName: "B", sha256, size: 10, unpackedSize: 20, createTs: now };
  const inserted = { ...build, ...fields };
  expect(await insertBuild(db, inserted, noLimits)).toBe("ok");
  return inserted;
}

async function readAll(chunks: AsyncIterable<Buffer> | null): Promise<Buffer | null> {
  if (chunks === null) return null;
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}

describe.each(storeKinds)("builds on %s", (kind) => {
  test("[BU19] builds that no version has named for a time go; a version keeps its own, also for that time after it is deleted", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const [unnamed, named, recent] = [
      await storedBuild(db, gameId),
      await storedBuild(db, gameId),
      await storedBuild(db, gameId, { createTs: now + 8 * dayMs }),
    ];
    const using = version({ gameId });
    const uses = [{ useId: newId(), buildId: named.buildId }];
    expect(await insertVersion(db, using, { uses })).toBe("ok");
    const other = version({ gameId });
    const unknown = [{ useId: newId(), buildId: newId() }];
    expect(await insertVersion(db, other, { uses: unknown })).toBe("BUILD_NOT_FOUND");

    expect(await deleteUnnamedBuilds(db, now + 7 * dayMs)).toEqual([unnamed.buildId]);
    expect(await findBuildById(db, unnamed.buildId)).toBeNull();
    const deletion = { gameId, versionId: using.versionId, deleteTs: now + 9 * dayMs, mark: null };
    expect(await deleteVersion(db, deletion)).toBe("deleted");
    expect(await deleteUnnamedBuilds(db, now + 8.5 * dayMs)).toEqual([recent.buildId]);
    expect(await deleteUnnamedBuilds(db, now + 9 * dayMs + 1)).toEqual([named.buildId]);
  });

  test("[BU20] an archive comes back byte for byte; leftovers without a row are removed, if they are old enough", async () => {
    const db = await emptyStore(kind);
    const dataDir = await folder();
    let at = Date.now();
    const archive = openBuildArchive(db, dataDir, () => at);
    const { gameId } = await storedGame(db);
    const bytes = randomBytes(2_500_000);
    const put = async (buildId: string) => {
      const file = join(await folder(), "archive");
      await writeFile(file, bytes);
      await archive.put(file, buildId);
    };
    const build = await storedBuild(db, gameId, { size: bytes.length });
    const leftover = newId();
    expect([await archive.has(build.buildId), await archive.read(build.buildId)]).toEqual([false, null]);
    for (const buildId of [build.buildId, leftover, build.buildId]) await put(buildId);
    expect((await readAll(await archive.read(build.buildId)))?.equals(bytes)).toBe(true);
    if (kind === "sqlite") {
      const names = await readdir(join(dataDir, "builds"));
      const modes = await Promise.all(
        names.map(async (name) => (await stat(join(dataDir, "builds", name))).mode & 0o77),
      );
      expect(modes).toEqual([0, 0]);
      expect((await stat(join(dataDir, "builds"))).mode & 0o777).toBe(0o700);
    }

    await archive.removeUnknown(60_000);
    expect(await archive.has(leftover)).toBe(true);
    at += 120_000;
    await archive.removeUnknown(60_000);
    expect([await archive.has(leftover), await archive.has(build.buildId)]).toEqual([false, true]);
    // With its game the row goes, and then the archive is a leftover.
    await deleteGame(db, gameId);
    await archive.removeUnknown(0);
    expect(await archive.has(build.buildId)).toBe(false);
    await put(build.buildId);
    await archive.remove(build.buildId);
    expect(await archive.has(build.buildId)).toBe(false);
  });
});
