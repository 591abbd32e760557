import { type Kysely, type Migration, sql } from "kysely";

/** The audit log, and when a version was deleted. The log has no foreign keys: its entries outlive games and tokens. */
export function audit(engine: "sqlite" | "postgresql"): Migration {
  const text = engine === "postgresql" ? sql<string>`text collate "C"` : "text";

  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("audit")
        .addColumn("audit_id", text, (column) => column.notNull().primaryKey())
        .addColumn("at", "bigint", (column) => column.notNull())
        .addColumn("operation", text, (column) => column.notNull())
        .addColumn("kind", "text", (column) => column.notNull())
        .addColumn("token_id", text)
        .addColumn("game_id", text)
        .addColumn("namespace_id", text)
        .addColumn("target", "text")
        .addColumn("client", "text", (column) => column.notNull())
        .addColumn("request_id", "text", (column) => column.notNull())
        .execute();
      await db.schema.createIndex("audit_by_time").on("audit").column("at").execute();
      await db.schema.createIndex("audit_by_game").on("audit").columns(["game_id", "audit_id"]).execute();
      await db.schema.createIndex("audit_by_token").on("audit").columns(["token_id", "audit_id"]).execute();
      await db.schema.createIndex("audit_by_operation").on("audit").columns(["operation", "audit_id"]).execute();

      await db.schema.alterTable("versions").addColumn("delete_ts", "bigint").execute();
    },
  };
}
