import type { SqliteDatabase } from "../../ground/sqlite.ts";
import type { Entity } from "../../matchmaker/state.ts";
import type { JournalFailure } from "./journal-errors.ts";

/**
 * What the journal and its worker thread say to each other. Everything is handled in the order in which it is sent.
 * The thread begins by loading, without being asked.
 */
export type ToWorker =
  | {
      readonly type: "commit";
      readonly batch: number;
      readonly appends: readonly Append[];
      readonly changeCount: number;
    }
  | { readonly type: "probe" }
  /** The rows of one namespace, as they are after everything that was sent before. */
  | { readonly type: "read"; readonly namespaceId: string }
  | { readonly type: "close" };

export type FromWorker =
  /** Rows of one namespace as JSON text: an array of [entity number, id, row]. Several may follow for one namespace. */
  | { readonly type: "rows"; readonly namespaceId: string; readonly text: string }
  /** All rows were sent, or the file cannot be used and the thread ends. */
  | { readonly type: "loaded"; readonly failure: JournalFailure | null }
  /** Something that the operator should know, and that stops nothing. */
  | { readonly type: "warning"; readonly message: string }
  /** Every batch up to this one is on the disk. */
  | { readonly type: "committed"; readonly throughBatch: number }
  /** Nothing after the last committed batch is on the disk, and nothing will be: the thread ends. */
  | { readonly type: "failed"; readonly failure: JournalFailure }
  | { readonly type: "probed"; readonly failure: JournalFailure | null }
  /** All rows of the namespace that was asked for were sent, or they cannot be read. */
  | { readonly type: "read"; readonly failure: JournalFailure | null };

/**
 * The namespace, then entity number, id and row of each change, in one flat array. Cloning such arrays takes the
 * sending thread less than half the time that making JSON text of them does, so the text is made by the worker.
 */
export type Append = readonly unknown[];

/** An entity's number, as it is stored, is its place here: new ones go to the end. */
export const entities: readonly Entity[] = ["namespace", "lobby", "player", "key"];

/** Where the worker lets itself be made to fail. */
export interface FailpointHooks {
  /** The file is open and nothing has been written to it. */
  opened(database: SqliteDatabase): void;
  reached(on: "commit" | "probe" | "checkpoint", when: "before" | "after"): void;
}

/** For tests only: a module that the worker loads, and what its `createFailpoints` is given. */
export interface FailpointModule {
  readonly module: string;
  readonly settings: unknown;
}

export interface WorkerSettings {
  readonly file: string;
  readonly failpoints: FailpointModule | null;
}
