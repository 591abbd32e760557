import { type Kysely, type Migration, sql } from "kysely";

/** Which image the containers of a version run, decided when the version was first started. */
export function versionImages(engine: "sqlite" | "postgresql"): Migration {
  const text = engine === "postgresql" ? sql<string>`text collate "C"` : "text";

  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("version_images")
        .addColumn("version_image_id", text, (column) => column.notNull().primaryKey())
        .addColumn("version_id", text, (column) =>
          column.notNull().references("versions.version_id").onDelete("cascade"),
        )
        .addColumn("image", text, (column) => column.notNull())
        .addColumn("image_id", text, (column) => column.notNull())
        .addColumn("digest", text)
        .addColumn("create_ts", "bigint", (column) => column.notNull())
        .addUniqueConstraint("images_of_version", ["version_id", "image"])
        .execute();
    },
  };
}
