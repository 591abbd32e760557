import { type Kysely, sql } from "kysely";
import type { PendingChange } from "./audit.ts";
import { type Change, changed, createReadCache, type ReadCache } from "./cache.ts";
import { StoreUnavailable } from "./faults.ts";
import type { EngineName } from "./migrate.ts";
import type { OpenStore } from "./open-store.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { Tables } from "./tables.ts";

export { StoreUnavailable } from "./faults.ts";

/** The open store of games, namespaces, domains, versions and tokens. */
export interface Db {
  readonly engine: EngineName;
  readonly query: Kysely<Tables>;
  /** Throws StoreUnavailable when the store does not answer. */
  ping(): Promise<void>;
  /** Throws StoreUnavailable when the store does not answer or takes no changes. */
  checkWritable(): Promise<void>;
  /** Why nothing may be written any more; null: it may. */
  whyReadOnly(): string | null;
  /** Copies the store into a new file; on PostgreSQL an error that names pg_dump. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
  isClosed(): boolean;
  /** Calls back when rows that were read may no longer be as they are in the store, whoever changed them. */
  onChange(listener: (change: NonNullable<Change>) => void): void;
  /** Those below belong to read.ts and cache.ts. */
  readonly changeListeners: ((change: NonNullable<Change>) => void)[];
  readonly rows: OpenStore["rows"];
  readonly readTexts: Map<string, string>;
  readonly cache: ReadCache | null;
  /** Whether nobody else writes to the store unnoticed; only then may what was read be kept. */
  isOnlyWriter(): boolean;
  /** Null: nobody else writes at all. */
  readonly sharing: StoreSharing | null;
  /** What the next transaction records in the audit log; null: nothing. */
  readonly pending: PendingChange | null;
}

/** How several nodes write to one store and yet keep what they read. */
export interface StoreSharing {
  /** Resolves when nothing that was changed before this call can still be remembered here. */
  check(): Promise<void>;
  /** Announces a change; the result is called with what became of it. */
  begin(): Promise<(change: Change) => Promise<void>>;
  onChange(listener: (change: NonNullable<Change>) => void): void;
}

/** One page of a list: `after` is the id of the last row of the page before. */
export interface Page {
  readonly after: string | null;
  readonly limit: number;
}

export interface DbOptions {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** SQLite belongs to the process that holds the data folder; of PostgreSQL the caller has to know. */
  readonly isOnlyWriter?: () => boolean;
  readonly sharing?: StoreSharing;
  /** Why nothing may be written any more; null: it may. */
  readonly whyReadOnly?: () => string | null;
}

/** Opens PostgreSQL at the address, or without one SQLite in the data folder, and brings the tables up to date. */
export async function openDb(options: DbOptions): Promise<Db> {
  const store = await open(options.databaseUrl, options.dataDir);
  let closing: Promise<void> | null = null;
  const sharing = options.sharing ?? null;
  const isAlone = options.isOnlyWriter ?? (() => store.engine === "sqlite");
  const cache = store.engine === "sqlite" || options.isOnlyWriter || sharing ? createReadCache() : null;
  const whyReadOnly = options.whyReadOnly ?? (() => null);
  const changeListeners: ((change: NonNullable<Change>) => void)[] = [];
  sharing?.onChange((change) => changed({ cache, changeListeners }, change));
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
    isOnlyWriter: () => sharing !== null || isAlone(),
    sharing,
    pending: null,
  };
}

/** A standby, or a server whose owner has stopped changes: it answers every question and refuses every change. */
async function whyServerIsReadOnly(store: OpenStore): Promise<string | null> {
  const { rows } = await sql<{ transaction_read_only: string }>`show transaction_read_only`.execute(store.query);
  return rows[0]?.transaction_read_only === "on" ? "PostgreSQL is read-only." : null;
}

async function open(databaseUrl: string | null, dataDir: string): Promise<OpenStore> {
  if (databaseUrl === null) return openSqlite(dataDir);
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return openPostgres(databaseUrl);
  // The address is not repeated here, because it may hold a password.
  throw new Error("The database address must begin with postgres:// or postgresql://; leave it out to use SQLite.");
}
