import { existsSync } from "node:fs";
import { join } from "node:path";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { loadSqlite } from "../../ground/sqlite.ts";
import { busyTimeoutMs, sqliteFileName } from "../backup.ts";
import { asFault } from "../faults.ts";
import { sqliteDialect } from "../sqlite-driver.ts";
import type { Tables } from "../tables.ts";
import { columnsOf, type TableName, tableNames } from "./format.ts";

/** The store as it was at one moment. Others write on meanwhile, and nothing here can change anything. */
export type Snapshot = Kysely<Tables>;

export interface StorePlace {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
}

/** Opens the store of a service that may be running, and gives `read` one moment of it. */
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
    throw asFault(error);
  } finally {
    await query.destroy();
  }
}

interface OpenedForReading {
  readonly query: Kysely<Tables>;
  readonly begin: ReturnType<typeof sql>;
  /** Asks for the names of the columns that a table really has. */
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
  // A connection that breaks is told by the query that it was to run. Both have to be heard: the pool tells of idle
  // connections, and one that was lent and runs nothing at the moment tells of itself.
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

/** Reading must not bring the tables up to date while another Foyer serves them, so they have to be so already. */
function checkColumns(table: TableName, found: readonly string[], where: string): void {
  const known = columnsOf(table).map(([name]) => name);
  if (found.length === 0) {
    throw new Error(`${where} has no table ${table}: it is not a store of Foyer, or this Foyer never started on it.`);
  }
  const missing = known.find((name) => !found.includes(name));
  if (missing !== undefined) {
    throw new Error(
      `${where} was made by an older Foyer: ${table} has no ${missing}. Start this version on it once, or export with the older one.`,
    );
  }
  const unknown = found.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(
      `${where} was made by a newer Foyer: this version does not know ${unknown} of ${table}. Export with the newer one.`,
    );
  }
}
