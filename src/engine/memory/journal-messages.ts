import type { SqliteDatabase } from "../../ground/sqlite.ts";
import type { JournalFailure } from "./journal-errors.ts";

/**
 * The messages between the journal and its worker thread. Each side handles them in order. The thread starts with a
 * load, without a request.
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
  /** Requests the rows of one namespace, after all earlier messages. */
  | { readonly type: "read"; readonly namespaceId: string }
  | { readonly type: "close" };

export type FromWorker =
  /** Rows of one namespace as JSON text: an array of [entity number, id, row]. Several may follow for one namespace. */
  | { readonly type: "rows"; readonly namespaceId: string; readonly text: string }
  /** All rows were sent, or the file cannot be used and the thread ends. It also ends after rows of a file that is read-only. */
  | { readonly type: "loaded"; readonly failure: JournalFailure | null; readonly isReadOnly: boolean }
  /** A warning for the operator; the journal continues. */
  | { readonly type: "warning"; readonly message: string }
  /** Every batch up to this one is on the disk. */
  | { readonly type: "committed"; readonly throughBatch: number }
  /** Nothing after the last committed batch is or will be on disk: the thread ends. */
  | { readonly type: "failed"; readonly failure: JournalFailure }
  | { readonly type: "probed"; readonly failure: JournalFailure | null }
  /** All rows of the requested namespace were sent, or they cannot be read. */
  | { readonly type: "read"; readonly failure: JournalFailure | null };

/**
 * The changes of one command in the text of a batch: a line with the namespace, then a line for each change, see
 * Changes. A batch is one text, because sending a text only copies bytes.
 */
export function appendText(namespaceId: string, changes: string): string {
  return `${namespaceMark}${namespaceId}\n${changes}`;
}

/** Begins the line of a namespace; the line of a change begins with a digit. */
const namespaceMark = "=";

/** Calls back with each change of a batch: the id and the row are JSON text; without a row the record was deleted. */
export function readBatch(
  text: string,
  take: (namespaceId: string, entity: number, id: string, row: string) => void,
): void {
  let namespaceId = "";
  for (const line of text.split("\n")) {
    if (line.startsWith(namespaceMark)) {
      namespaceId = line.slice(namespaceMark.length);
    } else if (line !== "") {
      // The cast is safe: changes.ts wrote these lines.
      const [entity, id, row] = line.split("\t") as [string, string, string];
      take(namespaceId, Number(entity), id, row);
    }
  }
}

/** The failpoints of the worker. */
export interface FailpointHooks {
  /** The file is open, and nothing was written to it. */
  opened(database: SqliteDatabase): void;
  reached(on: "commit" | "probe" | "checkpoint", when: "before" | "after"): void;
}

/** For tests only: a module that the worker loads, and the argument of its `createFailpoints`. */
export interface FailpointModule {
  readonly module: string;
  readonly settings: unknown;
}

export interface WorkerSettings {
  readonly file: string;
  /** False, for the first load: a file that cannot be written is refused. */
  readonly mayBeReadOnly: boolean;
  readonly failpoints: FailpointModule | null;
}
