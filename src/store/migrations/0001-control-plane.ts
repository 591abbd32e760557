import { type Kysely, type Migration, type RawBuilder, sql } from "kysely";

/** Games, versions, namespaces, domains, the history of deployments, and tokens. */
export function controlPlane(engine: "sqlite" | "postgresql"): Migration {
  // Bytewise order on both databases, whatever the locale of the PostgreSQL server, so that pages are the same
  // everywhere.
  const text = engine === "postgresql" ? sql<string>`text collate "C"` : "text";

  return {
    async up(db: Kysely<unknown>) {
      await createGames(db, text);
      await createVersions(db, text);
      await createNamespaces(db, text);
      await createDomains(db, text);
      await createDeployments(db, text);
      await createTokens(db, text);
    },
  };
}

/** The type of columns that are compared or ordered. */
type Text = RawBuilder<string> | "text";

async function createGames(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("games")
    .addColumn("game_id", text, (column) => column.notNull().primaryKey())
    .addColumn("name_id", text, (column) => column.notNull().unique())
    .addColumn("display_name", "text", (column) => column.notNull())
    .addColumn("create_ts", "bigint", (column) => column.notNull())
    .execute();
}

async function createVersions(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("versions")
    .addColumn("version_id", text, (column) => column.notNull().primaryKey())
    .addColumn("game_id", text, (column) => column.notNull().references("games.game_id").onDelete("cascade"))
    .addColumn("display_name", "text", (column) => column.notNull())
    .addColumn("create_ts", "bigint", (column) => column.notNull())
    .addColumn("config", "text", (column) => column.notNull())
    .addUniqueConstraint("versions_of_game", ["game_id", "version_id"])
    .execute();
}

/** The pair (game_id, version_id) points at a version, so a namespace cannot hold another game's. */
async function createNamespaces(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("namespaces")
    .addColumn("namespace_id", text, (column) => column.notNull().primaryKey())
    .addColumn("game_id", text, (column) => column.notNull().references("games.game_id").onDelete("cascade"))
    .addColumn("name_id", text, (column) => column.notNull())
    .addColumn("display_name", "text", (column) => column.notNull())
    .addColumn("create_ts", "bigint", (column) => column.notNull())
    .addColumn("version_id", text)
    .addColumn("lobby_count_max", "bigint", (column) => column.notNull())
    .addColumn("max_players", "bigint", (column) => column.notNull())
    .addColumn("max_players_per_client", "bigint")
    .addColumn("domain_public_auth_enabled", "integer", (column) => column.notNull())
    .addColumn("allow_localhost", "integer", (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addUniqueConstraint("namespaces_name", ["game_id", "name_id"])
    .addUniqueConstraint("namespaces_of_game", ["game_id", "namespace_id"])
    .addForeignKeyConstraint("namespaces_version", ["game_id", "version_id"], "versions", ["game_id", "version_id"])
    .execute();
  await db.schema.createIndex("namespaces_by_version").on("namespaces").columns(["game_id", "version_id"]).execute();
}

async function createDomains(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("domains")
    .addColumn("domain", text, (column) => column.notNull().primaryKey())
    .addColumn("namespace_id", text, (column) =>
      column.notNull().references("namespaces.namespace_id").onDelete("cascade"),
    )
    .addColumn("create_ts", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("domains_by_namespace").on("domains").columns(["namespace_id", "domain"]).execute();
}

async function createDeployments(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("deployments")
    .addColumn("deployment_id", text, (column) => column.notNull().primaryKey())
    .addColumn("namespace_id", text, (column) =>
      column.notNull().references("namespaces.namespace_id").onDelete("cascade"),
    )
    .addColumn("version_id", text, (column) => column.notNull().references("versions.version_id").onDelete("cascade"))
    .addColumn("deploy_ts", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("deployments_by_namespace")
    .on("deployments")
    .columns(["namespace_id", "deployment_id"])
    .execute();
  await db.schema.createIndex("deployments_by_version").on("deployments").column("version_id").execute();
  await db.schema.createIndex("deployments_by_time").on("deployments").column("deploy_ts").execute();
}

async function createTokens(db: Kysely<unknown>, text: Text): Promise<void> {
  await db.schema
    .createTable("tokens")
    .addColumn("token_id", text, (column) => column.notNull().primaryKey())
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("game_id", text, (column) => column.notNull().references("games.game_id").onDelete("cascade"))
    .addColumn("namespace_id", text)
    .addColumn("details", "text")
    .addColumn("create_ts", "bigint", (column) => column.notNull())
    .addColumn("last_used_ts", "bigint")
    .addColumn("expires_ts", "bigint")
    .addColumn("revoke_ts", "bigint")
    .addForeignKeyConstraint(
      "tokens_namespace",
      ["game_id", "namespace_id"],
      "namespaces",
      ["game_id", "namespace_id"],
      (key) => key.onDelete("cascade"),
    )
    .execute();
  await db.schema
    .createIndex("tokens_by_owner")
    .on("tokens")
    .columns(["game_id", "namespace_id", "token_id"])
    .execute();
  await db.schema.createIndex("tokens_by_expiry").on("tokens").column("expires_ts").execute();
  await db.schema.createIndex("tokens_by_revocation").on("tokens").column("revoke_ts").execute();
}
