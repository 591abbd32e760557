import type { Journal, TakeStored } from "../../src/engine/memory/journal.ts";
import type { Changes, StoredRecord } from "../../src/matchmaker/changes.ts";
import { readChanges } from "./changes.ts";

/** A journal that lives as long as its object, so that tests can make it fail and wait. */
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
  const namespaces = new Map<string, Map<string, StoredRecord>>();
  let waiting: (() => void)[] = [];
  let isBroken = false;
  let last: Promise<void> = Promise.resolve();

  const store = (namespaceId: string, changes: Changes) => {
    if (journal.isFailing) isBroken = true;
    if (isBroken) throw new Error("The test makes the journal fail.");
    const entities = namespaces.get(namespaceId) ?? new Map<string, StoredRecord>();
    namespaces.set(namespaceId, entities);
    for (const { entity, id, row } of readChanges(changes)) {
      const key = `${entity}/${id}`;
      if (row === null) entities.delete(key);
      else entities.set(key, { entity, id, row });
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
    append(namespaceId: string, changes: Changes) {
      journal.appendCount += 1;
      const released = journal.isHeld ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve();
      // A rejected append must not keep the next one from being tried: it is `isBroken` that rejects that one.
      last = Promise.all([last.catch(() => undefined), released]).then(() => store(namespaceId, changes));
      last.catch(() => undefined);
      return last;
    },
    async loadNamespace(namespaceId: string) {
      if (journal.isUnreadable) throw new Error("The test makes reads of the journal fail.");
      await last;
      return [...(namespaces.get(namespaceId)?.values() ?? [])];
    },
    async probe() {
      if (journal.isFailing) throw new Error("The test makes the journal fail.");
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
