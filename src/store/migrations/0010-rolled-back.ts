import type { Kysely, Migration } from "kysely";

/** Which deployments were rolled back from. Null, as in rows from before: not known to be. */
export function rolledBack(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable("deployments").addColumn("rolled_back", "integer").execute();
    },
  };
}
