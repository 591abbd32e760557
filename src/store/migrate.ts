import { type Kysely, type Migration, Migrator } from "kysely";
import { controlPlane } from "./migrations/0001-control-plane.ts";
import { lobbyHistory } from "./migrations/0002-lobby-history.ts";
import { blocks } from "./migrations/0003-blocks.ts";
import { audit } from "./migrations/0004-audit.ts";
import { retention } from "./migrations/0005-retention.ts";
import { versionDefaults } from "./migrations/0006-version-defaults.ts";
import { versionImages } from "./migrations/0008-version-images.ts";
import { builds } from "./migrations/0009-builds.ts";
import { rolledBack } from "./migrations/0010-rolled-back.ts";
import { sessions } from "./migrations/0011-sessions.ts";
import { deleting } from "./migrations/0012-deleting.ts";
import type { Tables } from "./tables.ts";

export type EngineName = "sqlite" | "postgresql";

/** Migrates the tables. Safe when several nodes do it at the same time; refuses a database of a newer Foyer. */
export async function migrate(query: Kysely<Tables>, engine: EngineName, where: string): Promise<void> {
  const migrations = allMigrations(engine);
  const migrator = new Migrator({
    db: query,
    provider: { getMigrations: async () => migrations },
    migrationTableName,
    migrationLockTableName: "foyer_migration_lock",
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;

  const unknown = await unknownMigration(query, migrations).catch(() => null);
  if (unknown === null) throw error;
  throw new Error(
    `${where} was created by a newer Foyer: it has the migration "${unknown}", which this version does not know. ` +
      "Start the newer version, or restore a backup made before the upgrade.",
  );
}

const migrationTableName = "foyer_migration";

// Names are in order, and a released migration never changes: a change is a new one at the end.
function allMigrations(engine: EngineName): Record<string, Migration> {
  return {
    "0001-control-plane": controlPlane(engine),
    "0002-lobby-history": lobbyHistory(engine),
    "0003-blocks": blocks(engine),
    "0004-audit": audit(engine),
    "0005-retention": retention(),
    "0006-version-defaults": versionDefaults(),
    "0008-version-images": versionImages(engine),
    "0009-builds": builds(engine),
    "0010-rolled-back": rolledBack(),
    "0011-sessions": sessions(engine),
    "0012-deleting": deleting(),
  };
}

async function unknownMigration(query: Kysely<Tables>, known: Record<string, Migration>): Promise<string | null> {
  const rows = await query
    .withTables<{ foyer_migration: { name: string } }>()
    .selectFrom(migrationTableName)
    .select("name")
    .orderBy("name")
    .execute();
  return rows.find((row) => !(row.name in known))?.name ?? null;
}
