import { type Kysely, type Migration, sql } from "kysely";

/** Clients that a namespace does not serve. They are deleted with their namespace. */
export function blocks(engine: "sqlite" | "postgresql"): Migration {
  const text = engine === "postgresql" ? sql<string>`text collate "C"` : "text";

  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("blocks")
        .addColumn("block_id", text, (column) => column.notNull().primaryKey())
        .addColumn("namespace_id", text, (column) =>
          column.notNull().references("namespaces.namespace_id").onDelete("cascade"),
        )
        .addColumn("client", text, (column) => column.notNull())
        .addColumn("create_ts", "bigint", (column) => column.notNull())
        .addColumn("until_ts", "bigint")
        .addColumn("note", "text")
        .addUniqueConstraint("blocks_of_namespace", ["namespace_id", "client"])
        .execute();
      await db.schema.createIndex("blocks_by_end").on("blocks").column("until_ts").execute();
    },
  };
}
