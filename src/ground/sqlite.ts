import type { DatabaseSyncInstance, DatabaseSyncOptions } from "@photostructure/sqlite";

export type SqliteDatabase = DatabaseSyncInstance;

export type SqliteLibrary = new (path: string, options?: DatabaseSyncOptions) => SqliteDatabase;

/** SQLite as Node brings it, or, where Node has none without a flag, the same interface from a package. */
export async function loadSqlite(): Promise<SqliteLibrary> {
  const builtin = withoutExperimentalWarning(() => process.getBuiltinModule("node:sqlite"));
  if (hasDatabase(builtin)) return builtin.DatabaseSync;
  const { DatabaseSync } = await import("@photostructure/sqlite");
  return DatabaseSync;
}

// Node prints a warning when its SQLite is first loaded. The operator can do nothing about it, so it is not shown.
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

// The types of Node 20 know no node:sqlite.
function hasDatabase(module: unknown): module is { DatabaseSync: SqliteLibrary } {
  return typeof module === "object" && module !== null && "DatabaseSync" in module;
}
