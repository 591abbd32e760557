import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import type { BuildArchive } from "./build-archive.ts";
import type { Db } from "./db.ts";

const chunkBytes = 1024 * 1024;
const chunksPerStep = 16;

/** Rows of one mebibyte each in PostgreSQL. They get the build's id when all of them are there. */
export function openBuildChunks(db: Db, now: () => number): BuildArchive {
  const { query } = db;

  /** In steps: one statement for a large archive could take longer than a statement may. */
  async function remove(buildId: string): Promise<void> {
    for (;;) {
      const some = query.selectFrom("build_chunks").select("position").where("build_id", "=", buildId);
      const { numDeletedRows } = await query
        .deleteFrom("build_chunks")
        .where("build_id", "=", buildId)
        .where("position", "in", some.limit(chunksPerStep))
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return;
    }
  }

  async function write(file: string, buildId: string): Promise<void> {
    let position = 0;
    for await (const piece of createReadStream(file, { highWaterMark: chunkBytes })) {
      const bytes = piece as Buffer;
      await query.insertInto("build_chunks").values({ build_id: buildId, position, bytes, create_ts: now() }).execute();
      position += 1;
    }
  }

  async function has(buildId: string): Promise<boolean> {
    const first = query.selectFrom("build_chunks").select("position").where("build_id", "=", buildId);
    return (await first.where("position", "=", 0).executeTakeFirst()) !== undefined;
  }

  return {
    async put(file, buildId) {
      const draftId = randomUUID();
      try {
        await write(file, draftId);
        await query.updateTable("build_chunks").set({ build_id: buildId }).where("build_id", "=", draftId).execute();
      } catch (error) {
        // Two uploads of the same bytes may end at the same time.
        const isThere = await has(buildId).catch(() => false);
        await remove(draftId).catch(() => undefined);
        if (!isThere) throw error;
      }
    },
    has,
    read: async (buildId) => ((await has(buildId)) ? readChunks(query, buildId) : null),
    remove,
    async removeUnknown(minAgeMs) {
      const unknown = await query
        .selectFrom("build_chunks")
        .select("build_id as buildId")
        .where(({ not, exists, selectFrom }) => {
          const row = selectFrom("builds").select("builds.build_id");
          return not(exists(row.whereRef("builds.build_id", "=", "build_chunks.build_id")));
        })
        .groupBy("build_id")
        .having((having) => having.fn.max("create_ts"), "<=", now() - minAgeMs)
        .execute();
      for (const { buildId } of unknown) await remove(buildId);
    },
  };
}

/** Nothing, if there are none. */
export async function* readChunks(query: Db["query"], buildId: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; position++) {
    const row = await query
      .selectFrom("build_chunks")
      .select("bytes")
      .where("build_id", "=", buildId)
      .where("position", "=", position)
      .executeTakeFirst();
    if (row === undefined) return;
    yield Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
  }
}
