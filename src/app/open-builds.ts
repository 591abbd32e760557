import { join } from "node:path";
import { createDiskSpace } from "../builds/disk-space.ts";
import { openReceiveBuilds } from "../builds/receive-build.ts";
import { openUnpackedBuilds } from "../builds/unpacked-builds.ts";
import { uploadsMax } from "../ground/limits.ts";
import { createUploadSlots } from "../operations/capacity/upload-slots.ts";
import type { Builds } from "../operations/context.ts";
import { buildFolder } from "../store/build-files.ts";
import type { Db } from "../store/db.ts";
import { openBuildArchive } from "../store/open-build-archive.ts";
import type { Ground } from "./mode.ts";
import { wallClock } from "./open-parts.ts";

/** Longer than any upload takes from its archive to its row: what is older and has no row is a leftover. */
export const leftoverMs = 60 * 60_000;

/** Builds in the data folder or in PostgreSQL. What a killed service left half-made is removed. */
export async function openBuilds({ config, folder }: Ground, db: Db): Promise<Builds> {
  const archive = openBuildArchive(db, folder.path, wallClock);
  // No other process uses the data folder; in PostgreSQL another node may be writing one.
  await archive.removeUnknown(db.engine === "sqlite" ? 0 : leftoverMs);
  const disk = createDiskSpace(folder.path);
  return {
    archive,
    received: openReceiveBuilds(join(buildFolder(folder.path), "incoming"), disk),
    unpacked: await openUnpackedBuilds(join(folder.path, "unpacked"), {
      disk,
      isOpenToOthers: config.lobbyUser !== null,
      wallClock,
    }),
    prepared: { current: { ready: [], failed: {} } },
    uploadSlots: createUploadSlots(uploadsMax),
  };
}
