import type { SqliteDatabase } from "../../ground/sqlite.ts";
import type { JournalFailure } from "./journal-errors.ts";

/**
 * What the journal and its worker thread say to each other. Everything is handled in the order in which it is sent.
 * The thread begins by loading, without being asked.
 */
export type ToWorker =
  | {
      readonly type: "commit";
      readonly batch: number;
      /** See appendText. */
      readonly text: string;
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
 * The changes of one command in the text of a batch: a line with the namespace, then a line for each change, see Changes.
 * A batch is one text, so that sending it copies bytes and nothing else.
 */
export function appendText(namespaceId: string, changes: string): string {
  return `${namespaceMark}${namespaceId}\n${changes}`;
}

/** Begins the line of a namespace; the line of a change begins with a digit. */
const namespaceMark = "=";

/** Calls back with each change of a batch: the id and the row are JSON text, and without a row the record is gone. */
export function readBatch(
  text: string,
  take: (namespaceId: string, entity: number, id: string, row: string) => void,
): void {
  let namespaceId = "";
  for (const line of text.split("\n")) {
    if (line.startsWith(namespaceMark)) {
      namespaceId = line.slice(namespaceMark.length);
    } else if (line !== "") {
      // A border: changes.ts has written these.
      const [entity, id, row] = line.split("\t") as [string, string, string];
      take(namespaceId, Number(entity), id, row);
    }
  }
}

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
