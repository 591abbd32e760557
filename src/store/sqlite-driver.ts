import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqliteDatabase } from "../ground/sqlite.ts";
import { toStoreError } from "./errors.ts";

/**
 * Kysely on one SQLite connection (docs/decisions/0003): one user at a time, the others wait in the order of their
 * calls.
 */
export function sqliteDialect(database: SqliteDatabase): Dialect {
  return {
    createDriver: () => sqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createIntrospector: (query) => new SqliteIntrospector(query),
  };
}

/** Runs a statement and returns its rows; the text is prepared once per connection. */
export type SqliteRunner = (
  text: string,
  parameters: readonly unknown[],
) => { readonly rows: unknown[]; readonly changes: number };

export function sqliteRunner(database: SqliteDatabase): SqliteRunner {
  const statements = new Map<string, { statement: ReturnType<SqliteDatabase["prepare"]>; givesRows: boolean }>();
  return (text, parameters) => {
    try {
      let prepared = statements.get(text);
      if (!prepared) {
        prepared = { statement: database.prepare(text), givesRows: givesRowsPattern.test(text) };
        forgetOldest(statements, statementsMax);
        statements.set(text, prepared);
      }
      if (prepared.givesRows) return { rows: prepared.statement.all(...parameters), changes: 0 };
      return { rows: [], changes: Number(prepared.statement.run(...parameters).changes) };
    } catch (error) {
      throw toStoreError(error);
    }
  };
}

const statementsMax = 200;

const givesRowsPattern = /^\s*(select|with|pragma|values)\b|\breturning\b/i;

// SQLite can roll back the creation of a table. Kysely assumes it cannot, and would leave a migration half done after a
// crash.
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function sqliteDriver(database: SqliteDatabase): Driver {
  const run = sqliteRunner(database);
  const waiting: (() => void)[] = [];
  let held = false;

  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes } = run(query.sql, query.parameters);
      // The row's type is what the query builder says it selected.
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error("The SQLite store does not stream rows; ask for pages instead.");
    },
  };
  const acquire = async (): Promise<DatabaseConnection> => {
    if (held) await new Promise<void>((resolve) => waiting.push(resolve));
    held = true;
    return connection;
  };

  return {
    async init() {},
    acquireConnection: acquire,
    async releaseConnection() {
      const next = waiting.shift();
      // The connection stays held while it passes to the next in line, so that no later call comes first.
      if (next) next();
      else held = false;
    },
    async beginTransaction() {
      run("begin immediate", []);
    },
    async commitTransaction() {
      run("commit", []);
    },
    async rollbackTransaction() {
      // On a full disk SQLite rolls back by itself; another rollback would replace the first error by its own.
      if (database.isTransaction) run("rollback", []);
    },
    async destroy() {
      await acquire();
      foldLog(database);
      database.close();
    },
  };
}

/** Merges the write-ahead log into the file. On Node 20, closing does not do that while prepared statements exist. */
function foldLog(database: SqliteDatabase): void {
  try {
    database.exec("pragma busy_timeout = 0; pragma wal_checkpoint(truncate)");
  } catch {
    // Nothing is lost: the rest stays in the write-ahead log, and the next start reads it.
  }
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  if (map.size < max) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
