import type { ReceivedBuild } from "../../builds/receive-build.ts";
import { StoreUnavailable } from "../../ground/unavailable.ts";
import { findBuildBySha256, insertBuild } from "../../store/builds.ts";
import type { Db } from "../../store/db.ts";
import type { Context } from "../context.ts";
import type { ChangeDetails } from "../handlers.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { gameNotFound, quotaReached } from "./lookup.ts";

const mebibyte = 1024 * 1024;

interface NewBuild {
  readonly gameId: string;
  readonly displayName: string;
  readonly received: ReceivedBuild;
}

/**
 * Keeps the archive and adds its row, or finds the build that the game has of the same bytes. Returns the build's id.
 * The archive comes first: a crash in between leaves a leftover and no row without an archive.
 */
export async function keepBuild(
  context: Context,
  { gameId, displayName, received }: NewBuild,
  record: (details?: ChangeDetails) => Db,
): Promise<string | Refusal<"CLOUD_QUOTA_REACHED" | "CLOUD_GAME_NOT_FOUND">> {
  const { db, builds, config } = context;
  const { sha256, size, unpackedSize } = received;
  const same = await findBuildBySha256(db, gameId, sha256);
  if (same) {
    record({ target: same.buildId });
    // An import or a restored backup may have the row alone.
    if (!(await builds.archive.has(same.buildId))) await builds.archive.put(received.file, same.buildId);
    return same.buildId;
  }

  const buildId = context.newId();
  await builds.archive.put(received.file, buildId);
  const build = { buildId, gameId, displayName, sha256, size, unpackedSize, createTs: context.now() };
  const limits = { buildsMax: config.maxBuildsPerGame, bytesMax: config.maxBuildMibPerGame * mebibyte };
  let inserted: Awaited<ReturnType<typeof insertBuild>> | null = null;
  try {
    inserted = await insertBuild(record({ target: buildId }), build, limits);
  } finally {
    // After an error the row may be there: a leftover is removed later.
    if (inserted !== null && inserted !== "ok") await builds.archive.remove(buildId).catch(() => undefined);
  }
  if (inserted === "ok") return buildId;
  if (inserted === "GAME_NOT_FOUND") return gameNotFound(gameId);
  if (inserted === "TOO_MANY") return quotaReached("game", limits.buildsMax, "builds", "max_builds_per_game");
  if (inserted === "TOO_LARGE") {
    const message = `All builds of the game together may have ${config.maxBuildMibPerGame} MiB. Delete some, or raise max_build_mib_per_game.`;
    return refuse("CLOUD_QUOTA_REACHED", message);
  }
  // Another upload of the same bytes was first.
  const first = await findBuildBySha256(db, gameId, sha256);
  if (!first) throw new StoreUnavailable("A build of the same bytes was deleted a moment ago.");
  record({ target: first.buildId });
  return first.buildId;
}
