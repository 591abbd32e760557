import type { Change } from "../../matchmaker/changes.ts";

/** Where the memory engine keeps its changes so that they outlive the process. */
export interface Journal {
  /**
   * Every entity that is stored, by namespace. It is called at the start, and again after an append was rejected:
   * then it gives exactly what is durable, and appends are accepted again.
   * With `take`, each entity is handed over as it is read instead, so that nobody has to hold the rows of all of them;
   * they count only once the promise resolves.
   */
  load(take?: TakeStored): Promise<ReadonlyMap<string, readonly Change[]>>;
  /**
   * Stores the changes of one command together or not at all, and resolves once they are durable.
   * Appends resolve in the order in which they were made. After one is rejected so is every later one, until `load`:
   * they were decided on top of what was lost.
   */
  append(namespaceId: string, changes: readonly Change[]): Promise<void>;
  /** Every entity that is stored for one namespace, once all that was appended before is durable. */
  loadNamespace(namespaceId: string): Promise<readonly Change[]>;
  /** Writes something for real, to see whether the store takes it (a full disk may have been cleared). */
  probe(): Promise<void>;
  /** Resolves when everything appended so far is durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type TakeStored = (namespaceId: string, stored: Change) => void;

/** A journal that lives as long as its object, for tests and for trying things out. It can be told to fail and to wait. */
export interface MemoryJournal extends Journal {
  /** While true, appends and probes are rejected and nothing of them is kept. */
  isFailing: boolean;
  /** While true, no single namespace can be read. */
  isUnreadable: boolean;
  /** While true, appends wait: nothing is durable until `release`. */
  isHeld: boolean;
  release(): void;
  readonly appendCount: number;
}

export function createMemoryJournal(): MemoryJournal {
  const namespaces = new Map<string, Map<string, Change>>();
  let waiting: (() => void)[] = [];
  let isBroken = false;
  let last: Promise<void> = Promise.resolve();

  const store = (namespaceId: string, changes: readonly Change[]) => {
    if (journal.isFailing) isBroken = true;
    if (isBroken) throw new Error("The journal was told to fail.");
    const entities = namespaces.get(namespaceId) ?? new Map<string, Change>();
    namespaces.set(namespaceId, entities);
    for (const change of changes) {
      const key = `${change.entity}/${change.id}`;
      if (change.value === null) entities.delete(key);
      else entities.set(key, { ...change, value: JSON.parse(JSON.stringify(change.value)) });
    }
    if (entities.size === 0) namespaces.delete(namespaceId);
  };

  const journal = {
    isFailing: false,
    isUnreadable: false,
    isHeld: false,
    appendCount: 0,
    async load(take?: TakeStored) {
      isBroken = false;
      if (take !== undefined) {
        for (const [namespaceId, entities] of namespaces)
          for (const stored of entities.values()) take(namespaceId, stored);
        return new Map();
      }
      return new Map([...namespaces].map(([namespaceId, entities]) => [namespaceId, [...entities.values()]]));
    },
    append(namespaceId: string, changes: readonly Change[]) {
      journal.appendCount += 1;
      const released = journal.isHeld ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve();
      // A rejected append must not keep the next one from being tried: it is `isBroken` that rejects that one.
      last = Promise.all([last.catch(() => undefined), released]).then(() => store(namespaceId, changes));
      last.catch(() => undefined);
      return last;
    },
    async loadNamespace(namespaceId: string) {
      if (journal.isUnreadable) throw new Error("The journal was told to fail when it is read.");
      await last;
      return [...(namespaces.get(namespaceId)?.values() ?? [])];
    },
    async probe() {
      if (journal.isFailing) throw new Error("The journal was told to fail.");
    },
    flush: () => last,
    close: () => last.catch(() => undefined),
    release() {
      journal.isHeld = false;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
  };
  return journal;
}
