import type { StoredRecord } from "../../matchmaker/changes.ts";
import { entities } from "../../matchmaker/schema.ts";
import type { TakeStored } from "./journal.ts";
import { damagedMessage, JournalRefused } from "./journal-errors.ts";

/** Collects the rows that the worker reads, in pieces, so that the event loop is never blocked for long. */
export interface Loading {
  readonly done: Promise<ReadonlyMap<string, readonly StoredRecord[]>>;
  add(namespaceId: string, text: string): void;
  /** Returns why the rows cannot be used, if there is a reason. */
  finish(error: Error | null): Error | null;
}

export function createLoading(file: string, take: TakeStored | undefined): Loading {
  const namespaces = new Map<string, StoredRecord[]>();
  let damage: Error | null = null;
  let resolve: (namespaces: Map<string, StoredRecord[]>) => void;
  let reject: (error: Error) => void;
  const done = new Promise<ReadonlyMap<string, readonly StoredRecord[]>>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  const keep: TakeStored = (namespaceId, stored) => {
    const changes = namespaces.get(namespaceId);
    if (changes === undefined) namespaces.set(namespaceId, [stored]);
    else changes.push(stored);
  };
  return {
    done,
    add(namespaceId, text) {
      if (damage !== null) return;
      try {
        takeAll(namespaceId, text, take ?? keep);
      } catch (error) {
        damage = new JournalRefused(damagedMessage(file, `a row of namespace ${namespaceId} cannot be read`), {
          cause: error,
        });
      }
    },
    finish(error) {
      const failure = error ?? damage;
      if (failure === null) resolve(namespaces);
      else reject(failure);
      return failure;
    },
  };
}

function takeAll(namespaceId: string, text: string, take: TakeStored): void {
  // The cast is safe: the worker has checked each row against its checksum, and only this journal writes rows.
  const rows = JSON.parse(text) as [number, string, StoredRecord["row"]][];
  for (let i = 0; i < rows.length; i++) {
    const [number, id, row] = rows[i]!;
    const entity = entities[number];
    if (entity === undefined || !Array.isArray(row)) throw new Error(`${id} is not a record that this Foyer knows.`);
    take(namespaceId, { entity, id, row });
  }
}
