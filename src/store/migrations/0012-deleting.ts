import type { Kysely, Migration } from "kysely";

/** Games and namespaces that were deleted, and of which something is still to be removed. Null: not deleted. */
export function deleting(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const table of ["games", "namespaces"]) {
        await db.schema.alterTable(table).addColumn("delete_ts", "bigint").execute();
      }
    },
  };
}
