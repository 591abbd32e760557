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
  /** Throws StoreUnavailable when the store does not answer or refuses changes. */
  checkWritable(): Promise<void>;
  /** Why the store refuses changes; null: it accepts them. */
  whyReadOnly(): string | null;
  /** Copies the store into a new file; on PostgreSQL an error that names pg_dump. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
  isClosed(): boolean;
  /** Calls back when cached rows may be outdated, whichever process changed them. */
  onChange(listener: (change: NonNullable<Change>) => void): void;
  /** The properties below belong to read.ts and cache.ts. */
  readonly changeListeners: ((change: NonNullable<Change>) => void)[];
  readonly rows: OpenStore["rows"];
  readonly readTexts: Map<string, string>;
  readonly cache: ReadCache | null;
  /** Whether every write of another process is announced; only then may rows be cached. */
  mayKeep(): boolean;
  readonly invalidation: CacheInvalidation;
  /** What the next transaction records in the audit log; null: nothing. */
  readonly pending: PendingChange | null;
}

/** Lets nodes cache rows although other nodes write to the same store. */
export interface CacheInvalidation {
  /** No other process writes: a cached row is current until this process changes it. */
  readonly isOnlyWriter: boolean;
  /** Resolves when the cache contains nothing that was changed before this call. */
  check(): Promise<void>;
  /** Announces a change; call the result with the outcome. */
  begin(): Promise<(change: Change) => Promise<void>>;
  /** Calls back with changes of other processes. */
  onChange(listener: (change: NonNullable<Change>) => void): void;
}

/** For the only process that writes to a store: there are no announcements. */
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
 * The outcome of a change. A list: it was made, and affects only these ids of games, namespaces and tokens.
 * "everything": it was made and may affect anything. "unconfirmed": it may have been made. Null: it was not
 * made.
 */
export type Change = readonly string[] | "everything" | "unconfirmed" | null;

/**
 * Caches what the request path reads on every call, until a change of it. Null if other processes may write without an
 * announcement.
 */
export interface ReadCache {
  found: Recent<Kept>;
  /** Separate from the rest, so that a flood of unknown names and tokens cannot push out known ones. */
  missing: Recent<Kept>;
  /** Increases with every change: what was read during a change is not cached. */
  generation: number;
  /** Entries older than this generation are unconfirmed, and are read again as soon as the store answers. */
  unconfirmedBefore: number;
  /** The store did not answer a read of an unconfirmed entry; it is asked again regularly. */
  isStoreUnavailable: boolean;
}

export interface Kept {
  readonly value: unknown;
  readonly generation: number;
  /** A change of one of these ids drops the entry; with an empty list, every change does. */
  readonly about: readonly string[];
}

/** One successful change: who changed what, and from where. Ids and names only. */
export interface AuditEntry {
  readonly auditId: string;
  readonly at: number;
  readonly operation: string;
  /** Of the token. */
  readonly kind: string;
  /** Null: the admin token, which has no id. */
  readonly tokenId: string | null;
  readonly gameId: string | null;
  readonly namespaceId: string | null;
  /** The id or name of what was changed, if it is neither the game nor the namespace. */
  readonly target: string | null;
  readonly client: string;
  readonly requestId: string;
}

/** A change to record. If the change is a transaction, `transact` records it and sets `written`. */
export interface PendingChange {
  /** Called when the row is written, so that the log has the order of the changes. */
  entry(): AuditEntry;
  written: AuditEntry | null;
}
