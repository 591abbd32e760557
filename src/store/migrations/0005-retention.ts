import type { Kysely, Migration } from "kysely";

/** Indexes by which pruning finds deleted versions, and whether a past lobby names one. */
export function retention(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema.createIndex("versions_by_deletion").on("versions").column("delete_ts").execute();
      await db.schema.createIndex("lobby_history_by_version").on("lobby_history").column("version_id").execute();
    },
  };
}
