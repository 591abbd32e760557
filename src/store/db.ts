import type { Kysely } from "kysely";
import type { Recent } from "../ground/bounded-cache.ts";
import type { EngineName } from "./migrate.ts";
import type { OpenStore } from "./open-store.ts";
import type { Tables } from "./tables.ts";

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
  /** Whether no other process writes to the store unnoticed; only then may what was read be kept. */
  mayKeep(): boolean;
  readonly invalidation: CacheInvalidation;
  /** What the next transaction records in the audit log; null: nothing. */
  readonly pending: PendingChange | null;
}

/** Lets nodes keep what they read although others write to the same store. */
export interface CacheInvalidation {
  /** No other process writes: a row that was read is the store's last word until this process changes it. */
  readonly isOnlyWriter: boolean;
  /** Resolves when nothing that was changed before this call can still be remembered here. */
  check(): Promise<void>;
  /** Announces a change; the result is called with what became of it. */
  begin(): Promise<(change: Change) => Promise<void>>;
  /** Calls back with changes that others made. */
  onChange(listener: (change: NonNullable<Change>) => void): void;
}

/** For the only process that writes to a store: there is nothing to announce, and nothing to hear. */
export const noOtherWriters: CacheInvalidation = {
  isOnlyWriter: true,
  async check() {},
  begin: async () => async () => {},
  onChange() {},
};

/** One page of a list: `after` is the id of the last row of the page before. */
export interface Page {
  readonly after: string | null;
  readonly limit: number;
}

/**
 * What became of a change. A list: it was made, and these ids of games, namespaces and tokens name all that it was about.
 * "everything": it was made, and may be about anything. "doubt": it is unknown whether it was made. Null: it was not.
 */
export type Change = readonly string[] | "everything" | "doubt" | null;

/** What the request path reads on every call, kept until a change of it. Null where others may write unnoticed. */
export interface ReadCache {
  found: Recent<Kept>;
  /** Apart from the rest, so that a flood of unknown names and tokens cannot push out the known ones. */
  missing: Recent<Kept>;
  /** Rises with every change: what was being read meanwhile is not kept. */
  generation: number;
  /** What was kept before this generation may be out of date, and is read again as soon as the store answers. */
  doubtedBefore: number;
  /** The store did not answer when something in doubt was read, and is asked again now and then. */
  isStoreAway: boolean;
}

export interface Kept {
  readonly value: unknown;
  readonly generation: number;
  /** A change of one of these drops it; none: every change does. */
  readonly about: readonly string[];
}

/** One successful change: who made it, of what, from where. Ids and names only. */
export interface AuditEntry {
  readonly auditId: string;
  readonly at: number;
  readonly operation: string;
  /** Of the token. */
  readonly kind: string;
  /** Null: the admin token, which has none. */
  readonly tokenId: string | null;
  readonly gameId: string | null;
  readonly namespaceId: string | null;
  /** The id or name of what was changed, where game and namespace do not say it. */
  readonly target: string | null;
  readonly client: string;
  readonly requestId: string;
}

/** A change that is to be recorded. `transact` does it where the change is a transaction, and says so here. */
export interface PendingChange {
  /** Made when the row is written, so that the order of the log is that of the changes. */
  entry(): AuditEntry;
  written: AuditEntry | null;
}
