import type { Kysely, Migration } from "kysely";

/** Versions keep the defaults of the time when they were made. */
export function versionDefaults(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable("versions").addColumn("defaults", "integer").execute();
    },
  };
}
