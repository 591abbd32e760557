import { sql } from "kysely";
import { StoreUnavailable } from "../ground/unavailable.ts";
import { changed, createReadCache } from "./cache.ts";
import { type CacheInvalidation, type Change, type Db, noOtherWriters } from "./db.ts";
import type { OpenStore } from "./open-store.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

export interface DbOptions {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /**
   * Whether every write of another process is announced. SQLite is used only by the process that has locked the data
   * folder.
   */
  readonly mayKeep?: () => boolean;
  readonly invalidation?: CacheInvalidation;
  /** Why the store refuses changes; null: it accepts them. */
  readonly whyReadOnly?: () => string | null;
}

/** Opens PostgreSQL at the address, or without an address SQLite in the data folder, and migrates the tables. */
export async function openDb(options: DbOptions): Promise<Db> {
  const store = await open(options.databaseUrl, options.dataDir);
  let closing: Promise<void> | null = null;
  const { invalidation = noOtherWriters, mayKeep = () => store.engine === "sqlite" } = options;
  const cache = store.engine === "sqlite" || options.mayKeep ? createReadCache() : null;
  const whyReadOnly = options.whyReadOnly ?? (() => null);
  const changeListeners: ((change: NonNullable<Change>) => void)[] = [];
  invalidation.onChange((change) => changed({ cache, changeListeners }, change));
  return {
    engine: store.engine,
    query: store.query,
    async ping() {
      await sql`select 1`.execute(store.query);
    },
    async checkWritable() {
      const reason = whyReadOnly() ?? (store.engine === "postgresql" ? await whyServerIsReadOnly(store) : null);
      if (reason !== null) throw new StoreUnavailable(reason);
      await sql`select 1`.execute(store.query);
    },
    whyReadOnly,
    backup: store.backup,
    close() {
      closing ??= store.close();
      return closing;
    },
    isClosed: () => closing !== null,
    onChange(listener) {
      changeListeners.push(listener);
    },
    changeListeners,
    rows: store.rows,
    readTexts: new Map(),
    cache,
    mayKeep,
    invalidation,
    pending: null,
  };
}

/** A standby, or a server set to read-only, answers reads and refuses changes. */
async function whyServerIsReadOnly(store: OpenStore): Promise<string | null> {
  const { rows } = await sql<{ transaction_read_only: string }>`show transaction_read_only`.execute(store.query);
  return rows[0]?.transaction_read_only === "on" ? "PostgreSQL is read-only." : null;
}

async function open(databaseUrl: string | null, dataDir: string): Promise<OpenStore> {
  if (databaseUrl === null) return openSqlite(dataDir);
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return openPostgres(databaseUrl);
  // The message does not repeat the address, because it may contain a password.
  throw new Error("The database address must begin with postgres:// or postgresql://; leave it out to use SQLite.");
}
