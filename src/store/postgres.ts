import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import pg from "pg";
import { StoreUnavailable } from "../ground/unavailable.ts";
import { toStoreError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import type { OpenStore } from "./open-store.ts";
import type { Tables } from "./tables.ts";

/** The store in a PostgreSQL database that several nodes share. */
export async function openPostgres(databaseUrl: string): Promise<OpenStore> {
  await migrateOnce(databaseUrl);
  const pool = openPool(databaseUrl, poolSizeMax, statementTimeoutMs);
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: mapPoolErrors(pool) }) });
  return {
    engine: "postgresql",
    query,
    async rows(name, text, parameters) {
      try {
        return (await pool.query({ name, text, values: [...parameters] })).rows;
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async backup() {
      throw new Error(
        "The store is PostgreSQL: back it up with pg_dump, for example `pg_dump -Fc -f foyer.dump <url>`.",
      );
    },
    async close() {
      await query.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

const poolSizeMax = 10;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;

// A server that hangs cannot end its own statement, so the client gives up a little later.
const answerTimeoutMs = 15_000;

/** Nodes that start together wait for each other here, so these connections have no statement time-out. */
async function migrateOnce(databaseUrl: string): Promise<void> {
  const pool = openPool(databaseUrl, 2, 0);
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: mapPoolErrors(pool) }) });
  try {
    await migrate(query, "postgresql", "The PostgreSQL database");
  } finally {
    await query.destroy();
    if (!pool.ended) await pool.end();
  }
}

function openPool(databaseUrl: string, max: number, timeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    application_name: "foyer",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types: { getTypeParser: chooseParser },
    ...(timeoutMs > 0 && {
      statement_timeout: timeoutMs,
      idle_in_transaction_session_timeout: answerTimeoutMs,
      query_timeout: answerTimeoutMs,
    }),
  });
  // A broken connection emits an error event, and an error event without a listener ends the process. The pool replaces
  // the connection, and its user gets the error from the query.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

const int8Oid = 20;

/** Milliseconds and 32-bit numbers fit in a JavaScript number; by default pg returns every bigint as text. */
function chooseParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === int8Oid && format !== "binary") return Number;
  return pg.types.getTypeParser(oid, "text");
}

/** The texts that Kysely sends. After a rollback nothing was changed. */
const transactionWord = /^(?:begin|start transaction|commit|rollback)/;

/** Errors that mean it become StoreUnavailable, and the pool never uses a connection again that had an error. */
function mapPoolErrors(pool: pg.Pool): PostgresPool {
  const mapped = {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw toStoreError(error, { isUndone: true });
      });
      let broken = false;
      let isInTransaction = false;
      let isCommitting = false;
      return {
        async query(text: string, parameters: readonly unknown[]) {
          const word = transactionWord.exec(text)?.[0];
          // Kysely rolls back after a commit that failed. When that fails too, the commit may still have happened.
          if (word === "commit") isCommitting = true;
          else if (word !== undefined && word !== "rollback") isCommitting = false;
          if (word !== undefined) isInTransaction = !isCommitting;
          try {
            return await client.query(text, [...parameters]);
          } catch (error) {
            // PostgreSQL undoes what was not committed, at the latest when the connection ends.
            const mapped = toStoreError(error, { isUndone: isInTransaction });
            // After a time-out the statement may still run, and a rollback may never be sent: if the pool reused the
            // connection, the next work would run in the old transaction.
            if (mapped instanceof StoreUnavailable) broken = true;
            throw mapped;
          }
        },
        release: () => client.release(broken),
      };
    },
    end: () => pool.end(),
  };
  // Kysely's type of a pool has all overloads of pg's query; its driver calls only this one.
  return mapped as unknown as PostgresPool;
}
