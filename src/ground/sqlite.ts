import type { DatabaseSyncInstance, DatabaseSyncOptions } from "@photostructure/sqlite";

export type SqliteDatabase = DatabaseSyncInstance;

export type SqliteLibrary = new (path: string, options?: DatabaseSyncOptions) => SqliteDatabase;

/** The SQLite that is built into Node; where Node needs a flag for it, a package with the same interface. */
export async function loadSqlite(): Promise<SqliteLibrary> {
  const builtin = withoutExperimentalWarning(() => process.getBuiltinModule("node:sqlite"));
  if (hasDatabase(builtin)) return builtin.DatabaseSync;
  const { DatabaseSync } = await import("@photostructure/sqlite");
  return DatabaseSync;
}

// Node prints a warning when its SQLite is first loaded. The operator can do nothing about it, so Foyer hides it.
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

// The types of Node 20 do not include node:sqlite.
function hasDatabase(module: unknown): module is { DatabaseSync: SqliteLibrary } {
  return typeof module === "object" && module !== null && "DatabaseSync" in module;
}
