import type { Transaction } from "kysely";
import type { Db, Page } from "./db.ts";
import { lockGame } from "./locks.ts";
import type { Tables } from "./tables.ts";
import { transact } from "./transaction.ts";

export interface Build {
  readonly buildId: string;
  readonly gameId: string;
  readonly displayName: string;
  readonly sha256: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly createTs: number;
}

/**
 * SAME: the game has a build of these bytes. The limits are exact: a lock makes inserts run one after another. The
 * archive has to be kept before, so that no row is without it.
 */
export function insertBuild(
  db: Db,
  build: Build,
  limits: { readonly buildsMax: number; readonly bytesMax: number },
): Promise<"ok" | "SAME" | "GAME_NOT_FOUND" | "TOO_MANY" | "TOO_LARGE"> {
  const { gameId } = build;
  return transact(db, null, async (transaction, undo) => {
    if (!(await lockGame(db, transaction, gameId))) throw undo("GAME_NOT_FOUND");
    if (await findSame(transaction, gameId, build.sha256)) throw undo("SAME");
    const { count, bytes } = await measure(transaction, gameId);
    if (count >= limits.buildsMax) throw undo("TOO_MANY");
    if (bytes + build.size > limits.bytesMax) throw undo("TOO_LARGE");
    await transaction
      .insertInto("builds")
      .values({
        build_id: build.buildId,
        game_id: gameId,
        display_name: build.displayName,
        sha256: build.sha256,
        size: build.size,
        unpacked_size: build.unpackedSize,
        create_ts: build.createTs,
        unnamed_ts: build.createTs,
      })
      .execute();
    return "ok";
  });
}

async function findSame(query: Db["query"] | Transaction<Tables>, gameId: string, sha256: string) {
  const same = query.selectFrom("builds").select(columns).where("game_id", "=", gameId).where("sha256", "=", sha256);
  return await same.executeTakeFirst();
}

async function measure(transaction: Transaction<Tables>, gameId: string): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await transaction
    .selectFrom("builds")
    .select((select) => [select.fn.countAll<number>().as("count"), select.fn.sum<number>("size").as("bytes")])
    .where("game_id", "=", gameId)
    .executeTakeFirstOrThrow();
  // The sum of no rows is null, and PostgreSQL returns a sum of bigints as text.
  return { count, bytes: Number(bytes ?? 0) };
}

export async function findBuild(db: Db, gameId: string, buildId: string): Promise<Build | null> {
  const query = db.query.selectFrom("builds").select(columns).where("build_id", "=", buildId);
  return (await query.where("game_id", "=", gameId).executeTakeFirst()) ?? null;
}

export async function findBuildBySha256(db: Db, gameId: string, sha256: string): Promise<Build | null> {
  return (await findSame(db.query, gameId, sha256)) ?? null;
}

/** Of any game, for lobbies whose version names it. */
export async function findBuildById(db: Db, buildId: string): Promise<Build | null> {
  const query = db.query.selectFrom("builds").select(columns).where("build_id", "=", buildId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Newest first. */
export async function listBuilds(db: Db, gameId: string, page: Page): Promise<Build[]> {
  let query = db.query.selectFrom("builds").select(columns).where("game_id", "=", gameId);
  if (page.after !== null) query = query.where("build_id", "<", page.after);
  return await query.orderBy("build_id", "desc").limit(page.limit).execute();
}

/** Those of the ids that are builds of the game. */
export async function listKnownBuilds(
  query: Db["query"] | Transaction<Tables>,
  gameId: string,
  buildIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (buildIds.length === 0) return new Set();
  const rows = await query
    .selectFrom("builds")
    .select("build_id")
    .where("game_id", "=", gameId)
    .where("build_id", "in", buildIds)
    .execute();
  return new Set(rows.map((row) => row.build_id));
}

/** The builds of all games. */
export async function listBuildIds(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.query.selectFrom("builds").select("build_id").execute();
  return new Set(rows.map((row) => row.build_id));
}

/** The builds that the deployed versions name, or only that one of them. */
export async function listDeployedBuilds(
  db: Db,
  buildId: string | null = null,
): Promise<readonly { readonly buildId: string; readonly gameId: string; readonly versionId: string }[]> {
  const query = db.query
    .selectFrom("namespaces")
    .innerJoin("build_uses", "build_uses.version_id", "namespaces.version_id")
    .select(["build_uses.build_id as buildId", "namespaces.game_id as gameId", "build_uses.version_id as versionId"])
    .distinct();
  return await (buildId === null ? query : query.where("build_uses.build_id", "=", buildId)).execute();
}

/** Deletes the row of a build that no version names. The caller removes its archive afterwards. */
export function deleteBuild(
  db: Db,
  { gameId, buildId, unnamedBefore }: { gameId: string; buildId: string; unnamedBefore?: number },
): Promise<"deleted" | "BUILD_NOT_FOUND" | "IN_USE"> {
  return transact(db, null, async (transaction, undo) => {
    // New versions lock the game too, so none names the build meanwhile.
    if (!(await lockGame(db, transaction, gameId))) throw undo("BUILD_NOT_FOUND");
    const use = transaction.selectFrom("build_uses").select("use_id").where("build_id", "=", buildId);
    if (await use.limit(1).executeTakeFirst()) throw undo("IN_USE");
    let deletion = transaction.deleteFrom("builds").where("build_id", "=", buildId).where("game_id", "=", gameId);
    if (unnamedBefore !== undefined) deletion = deletion.where("unnamed_ts", "<", unnamedBefore);
    const { numDeletedRows } = await deletion.executeTakeFirst();
    if (numDeletedRows === 0n) throw undo("BUILD_NOT_FOUND");
    return "deleted";
  });
}

/** Deletes the rows of builds that no version has named since the time. Returns their ids. */
export async function deleteUnnamedBuilds(db: Db, unnamedBefore: number): Promise<readonly string[]> {
  const found = await db.query
    .selectFrom("builds")
    .select(["build_id as buildId", "game_id as gameId"])
    .where("unnamed_ts", "<", unnamedBefore)
    .where(({ not, exists, selectFrom }) => {
      const use = selectFrom("build_uses").select("build_uses.use_id");
      return not(exists(use.whereRef("build_uses.build_id", "=", "builds.build_id")));
    })
    .execute();
  const deleted: string[] = [];
  for (const { buildId, gameId } of found) {
    if ((await deleteBuild(db, { gameId, buildId, unnamedBefore })) === "deleted") deleted.push(buildId);
  }
  return deleted;
}

/** The version no longer names builds. Part of the transaction that deletes it. */
export async function endBuildUses(transaction: Transaction<Tables>, versionId: string, now: number): Promise<void> {
  const used = transaction.selectFrom("build_uses").select("build_id").where("version_id", "=", versionId);
  await transaction.updateTable("builds").set({ unnamed_ts: now }).where("build_id", "in", used).execute();
  await transaction.deleteFrom("build_uses").where("version_id", "=", versionId).execute();
}

const columns = [
  "build_id as buildId",
  "game_id as gameId",
  "display_name as displayName",
  "sha256",
  "size",
  "unpacked_size as unpackedSize",
  "create_ts as createTs",
] as const;
