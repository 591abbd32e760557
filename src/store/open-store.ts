import type { Kysely } from "kysely";
import type { EngineName } from "./migrate.ts";
import type { Tables } from "./tables.ts";

/** What SQLite or PostgreSQL provides to the rest of the store, with migrated tables. */
export interface OpenStore {
  readonly engine: EngineName;
  readonly query: Kysely<Tables>;
  /** Runs one compiled select with the least overhead; the name identifies its text. */
  rows(name: string, text: string, parameters: readonly (string | number)[]): Promise<unknown[]>;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
