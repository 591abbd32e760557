import { withoutLostRaces } from "./cache.ts";
import type { Db } from "./db.ts";
import { isForeignKeyViolation } from "./errors.ts";

/** The image that a version's containers run. */
export interface VersionImage {
  readonly imageId: string;
  /** Its name in a registry; null: it is in none. */
  readonly digest: string | null;
}

export async function findVersionImage(db: Db, versionId: string, image: string): Promise<VersionImage | null> {
  const row = await db.query
    .selectFrom("version_images")
    .select(["image_id as imageId", "digest"])
    .where("version_id", "=", versionId)
    .where("image", "=", image)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Records what a version's image is, unless that is recorded already: of several nodes the first decides. Returns the
 * record that is valid. Null: the version was deleted.
 */
export async function recordVersionImage(
  db: Db,
  record: VersionImage & { versionImageId: string; versionId: string; image: string; createTs: number },
): Promise<VersionImage | null> {
  const { versionImageId, versionId, image, imageId, digest, createTs } = record;
  // Does not use write(): the table is never in the cache.
  try {
    await withoutLostRaces(() =>
      db.query
        .insertInto("version_images")
        .values({
          ...{ version_image_id: versionImageId, version_id: versionId, image, image_id: imageId },
          ...{ digest, create_ts: createTs },
        })
        .onConflict((conflict) => conflict.columns(["version_id", "image"]).doNothing())
        .execute(),
    );
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
  }
  return findVersionImage(db, versionId, image);
}
