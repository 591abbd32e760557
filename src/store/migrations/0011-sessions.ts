import { type Kysely, type Migration, sql } from "kysely";

/** Codes for signing in, and who signed in with one. */
export function sessions(engine: "sqlite" | "postgresql"): Migration {
  const text = engine === "postgresql" ? sql<string>`text collate "C"` : "text";

  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("sign_in_codes")
        .addColumn("hash", text, (column) => column.notNull().primaryKey())
        .addColumn("admin", text, (column) => column.notNull())
        .addColumn("create_ts", "bigint", (column) => column.notNull())
        .execute();
      await db.schema
        .createTable("sessions")
        .addColumn("session_id", text, (column) => column.notNull().primaryKey())
        .addColumn("hash", text, (column) => column.notNull().unique())
        .addColumn("admin", text, (column) => column.notNull())
        .addColumn("create_ts", "bigint", (column) => column.notNull())
        .addColumn("last_used_ts", "bigint", (column) => column.notNull())
        .execute();
    },
  };
}
