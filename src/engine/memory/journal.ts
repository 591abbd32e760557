import type { Changes, StoredRecord } from "../../matchmaker/changes.ts";

/** Where the memory engine keeps its changes so that they outlive the process. */
export interface Journal {
  /**
   * Every record that is stored, by namespace. It is called at the start, and again after an append was rejected:
   * then it gives exactly what is durable, and appends are accepted again.
   * With `take`, each record is handed over as it is read instead, so that nobody has to hold the rows of all of them;
   * they count only once the promise resolves.
   */
  load(take?: TakeStored): Promise<ReadonlyMap<string, readonly StoredRecord[]>>;
  /**
   * Stores the changes of one command together or not at all, and resolves once they are durable.
   * Appends resolve in the order in which they were made. After one is rejected so is every later one, until `load`:
   * they were decided on top of what was lost.
   */
  append(namespaceId: string, changes: Changes): Promise<void>;
  /** Every record that is stored for one namespace, once all that was appended before is durable. */
  loadNamespace(namespaceId: string): Promise<readonly StoredRecord[]>;
  /** Writes something for real, to see whether the store takes it (a full disk may have been cleared). */
  probe(): Promise<void>;
  /** Resolves when everything appended so far is durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type TakeStored = (namespaceId: string, stored: StoredRecord) => void;
