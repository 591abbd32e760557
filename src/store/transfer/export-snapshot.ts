import { existsSync } from "node:fs";
import { join } from "node:path";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { loadSqlite } from "../../ground/sqlite.ts";
import { busyTimeoutMs, sqliteFileName } from "../backup.ts";
import { toStoreError } from "../errors.ts";
import { sqliteDialect } from "../sqlite-driver.ts";
import type { Tables } from "../tables.ts";
import { listColumns, type TableName, tableNames } from "./format.ts";

/** A read-only snapshot of the store. Other processes may write meanwhile. */
export type Snapshot = Kysely<Tables>;

export interface StorePlace {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
}

/** Opens the store of a service that may be running, and calls `read` with a snapshot. */
export async function withSnapshot<T>(place: StorePlace, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const { query, begin, columns, where } =
    place.databaseUrl === null ? await openSqliteFile(place.dataDir) : openPostgresDatabase(place.databaseUrl);
  try {
    return await query.connection().execute(async (connection) => {
      await begin.execute(connection);
      for (const table of tableNames) checkColumns(table, await namesIn(connection, columns(table)), where);
      const result = await read(connection);
      await sql`commit`.execute(connection);
      return result;
    });
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await query.destroy();
  }
}

interface OpenedForReading {
  readonly query: Kysely<Tables>;
  readonly begin: ReturnType<typeof sql>;
  /** Reads the names of the columns that a table has in the database. */
  columns(table: TableName): ReturnType<typeof sql<{ name: string }>>;
  readonly where: string;
}

async function openSqliteFile(dataDir: string): Promise<OpenedForReading> {
  const file = join(dataDir, sqliteFileName);
  if (!existsSync(file)) throw new Error(`There is no database at ${file}: is this the data folder?`);
  const Database = await loadSqlite();
  const database = new Database(file, { readOnly: true, timeout: busyTimeoutMs });
  return {
    query: new Kysely({ dialect: sqliteDialect(database) }),
    begin: sql`begin`,
    columns: (table) => sql`select name from pragma_table_info(${table})`,
    where: `The database file ${file}`,
  };
}

function openPostgresDatabase(databaseUrl: string): OpenedForReading {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    application_name: "foyer export",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // The query reports a broken connection. Both error events still need a listener: the pool emits it for idle
  // connections, and a connection in use emits its own.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    query: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    begin: sql`begin isolation level repeatable read read only`,
    columns: (table) =>
      sql`select attname as name from pg_attribute
          where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`,
    where: "The PostgreSQL database",
  };
}

async function namesIn(connection: Snapshot, query: ReturnType<typeof sql<{ name: string }>>): Promise<string[]> {
  return (await query.execute(connection)).rows.map(({ name }) => name);
}

/** An export must not migrate tables that another Foyer uses, so they have to be up to date already. */
function checkColumns(table: TableName, found: readonly string[], where: string): void {
  const known = listColumns(table).map(([name]) => name);
  if (found.length === 0) {
    throw new Error(
      `${where} has no table ${table}: it is not a store of Foyer, or Foyer has never been started with it.`,
    );
  }
  const missing = known.find((name) => !found.includes(name));
  if (missing !== undefined) {
    throw new Error(
      `${where} was created by an older Foyer: ${table} has no ${missing}. Start this version with it once, or export with the older version.`,
    );
  }
  const unknown = found.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `${where} was created by a newer Foyer: this version does not know ${unknown} of ${table}. Export with the newer version.`,
    );
  }
}
