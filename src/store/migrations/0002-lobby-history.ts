import { type Kysely, type Migration, sql } from "kysely";

/**
 * Lobbies that have stopped. They are deleted with their namespace. They have no foreign key to versions, so that
 * versions can be deleted.
 */
export function lobbyHistory(engine: "sqlite" | "postgresql"): Migration {
  const text = engine === "postgresql" ? sql<string>`text collate "C"` : "text";

  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("lobby_history")
        .addColumn("lobby_id", text, (column) => column.notNull().primaryKey())
        .addColumn("namespace_id", text, (column) =>
          column.notNull().references("namespaces.namespace_id").onDelete("cascade"),
        )
        .addColumn("game_mode", "text", (column) => column.notNull())
        .addColumn("region", "text", (column) => column.notNull())
        .addColumn("version_id", text, (column) => column.notNull())
        .addColumn("create_ts", "bigint", (column) => column.notNull())
        .addColumn("ready_ts", "bigint")
        .addColumn("stop_ts", "bigint", (column) => column.notNull())
        .addColumn("stop_reason", "text", (column) => column.notNull())
        .addColumn("peak_player_count", "bigint", (column) => column.notNull())
        .addColumn("exit_code", "bigint")
        .addColumn("exit_signal", "text")
        .addColumn("exit_message", "text")
        .execute();
      await db.schema
        .createIndex("lobby_history_by_namespace")
        .on("lobby_history")
        .columns(["namespace_id", "stop_ts", "lobby_id"])
        .execute();
      await db.schema.createIndex("lobby_history_by_time").on("lobby_history").column("stop_ts").execute();
    },
  };
}
