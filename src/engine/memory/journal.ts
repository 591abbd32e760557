import type { Changes, StoredRecord } from "../../matchmaker/changes.ts";

/** Where the memory engine stores its changes, so that they outlive the process (docs/decisions/0008). */
export interface Journal {
  /**
   * Every stored record, by namespace. Called at the start, and again after an append was rejected: then it returns
   * exactly what is durable, and appends are accepted again. With `take`, it passes on each record as it is read
   * instead, so that the rows of all namespaces need not be in memory; they are valid only once the promise resolves.
   */
  load(take?: TakeStored): Promise<ReadonlyMap<string, readonly StoredRecord[]>>;
  /**
   * Stores the changes of one command together or not at all, and resolves once they are durable. Appends resolve in
   * the order in which they were made. After a rejected append every later one is rejected until `load`, because they
   * build on lost changes.
   */
  append(namespaceId: string, changes: Changes): Promise<void>;
  /** Every record that is stored for one namespace, once all that was appended before is durable. */
  loadNamespace(namespaceId: string): Promise<readonly StoredRecord[]>;
  /** Writes test data, to check whether the disk accepts it (a full disk may have free space again). */
  probe(): Promise<void>;
  /** Resolves when everything appended so far is durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type TakeStored = (namespaceId: string, stored: StoredRecord) => void;
