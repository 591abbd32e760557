import { type Kysely, type Migration, sql } from "kysely";

/** Builds, the versions that name them, and on PostgreSQL their archives. They are deleted with their game. */
export function builds(engine: "sqlite" | "postgresql"): Migration {
  const text = engine === "postgresql" ? sql<string>`text collate "C"` : "text";
  const bytes = engine === "postgresql" ? "bytea" : "blob";

  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("builds")
        .addColumn("build_id", text, (column) => column.notNull().primaryKey())
        .addColumn("game_id", text, (column) => column.notNull().references("games.game_id").onDelete("cascade"))
        .addColumn("display_name", "text", (column) => column.notNull())
        .addColumn("sha256", text, (column) => column.notNull())
        .addColumn("size", "bigint", (column) => column.notNull())
        .addColumn("unpacked_size", "bigint", (column) => column.notNull())
        .addColumn("create_ts", "bigint", (column) => column.notNull())
        .addColumn("unnamed_ts", "bigint", (column) => column.notNull())
        .addUniqueConstraint("builds_of_game", ["game_id", "sha256"])
        .execute();
      await db.schema
        .createTable("build_uses")
        .addColumn("use_id", text, (column) => column.notNull().primaryKey())
        .addColumn("version_id", text, (column) =>
          column.notNull().references("versions.version_id").onDelete("cascade"),
        )
        .addColumn("build_id", text, (column) => column.notNull().references("builds.build_id").onDelete("cascade"))
        .addUniqueConstraint("build_uses_of_version", ["version_id", "build_id"])
        .execute();
      await db.schema.createIndex("build_uses_by_build").on("build_uses").column("build_id").execute();
      // No reference to builds: the archive is there before its row is, so that no row is ever without it.
      await db.schema
        .createTable("build_chunks")
        .addColumn("build_id", text, (column) => column.notNull())
        .addColumn("position", "integer", (column) => column.notNull())
        .addColumn("bytes", bytes, (column) => column.notNull())
        .addColumn("create_ts", "bigint", (column) => column.notNull())
        .addPrimaryKeyConstraint("build_chunks_in_order", ["build_id", "position"])
        .execute();
      // Archives are compressed already.
      if (engine === "postgresql")
        await sql`alter table build_chunks alter column bytes set storage external`.execute(db);
    },
  };
}
