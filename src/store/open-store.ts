import type { Kysely } from "kysely";
import type { EngineName } from "./migrate.ts";
import type { Tables } from "./tables.ts";

/** What an engine gives to the rest of the store, tables up to date. */
export interface OpenStore {
  readonly engine: EngineName;
  readonly query: Kysely<Tables>;
  /** Runs one compiled select on the shortest way; the name stands for its text. */
  rows(name: string, text: string, parameters: readonly (string | number)[]): Promise<unknown[]>;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
