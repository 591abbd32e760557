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
import { asFault } from "./faults.ts";

/** Kysely on one SQLite connection: whoever holds it runs alone, the others wait in the order they came. */
export function sqliteDialect(database: SqliteDatabase): Dialect {
  return {
    createDriver: () => sqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createIntrospector: (query) => new SqliteIntrospector(query),
  };
}

/** Runs a statement and gives its rows; the text is prepared once per connection. */
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
      throw asFault(error);
    }
  };
}

const statementsMax = 200;

const givesRowsPattern = /^\s*(select|with|pragma|values)\b|\breturning\b/i;

// SQLite can undo a table's creation. Kysely assumes it cannot, and would leave a migration half done after a crash.
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
      // The connection stays held while it passes to the next in line, so that no newcomer slips between.
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
      // A full disk makes SQLite roll back by itself; a second time would hide the first error behind another.
      if (database.isTransaction) run("rollback", []);
    },
    async destroy() {
      await acquire();
      foldLog(database);
      database.close();
    },
  };
}

/** Brings all into the one file. On Node 20 closing alone does not, as long as prepared statements are around. */
function foldLog(database: SqliteDatabase): void {
  try {
    database.exec("pragma busy_timeout = 0; pragma wal_checkpoint(truncate)");
  } catch {
    // Nothing is lost: what is not folded in stays in the log beside the file, and the next start reads it.
  }
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  if (map.size < max) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
