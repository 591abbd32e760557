import { createRecent, type Recent } from "../recent.ts";
import type { Db } from "./db.ts";
import { isLostRace, StoreUnavailable } from "./faults.ts";

/** What the request path reads on every call, kept until the next write. Null where others may write unnoticed. */
export interface ReadCache {
  found: Recent<unknown>;
  /** Apart from the rest, so that a flood of unknown names and tokens cannot push out the known ones. */
  missing: Recent<unknown>;
  generation: number;
}

export function createReadCache(): ReadCache {
  return { found: createRecent(entriesMax), missing: createRecent(entriesMax), generation: 0 };
}

/** The kept answer, or a loaded one. Answers are shared between callers, so they are frozen. */
export function cached<T>(db: Db, key: string, load: () => Promise<T>): Promise<T> {
  if (db.cache === null) return load();
  if (!db.isOnlyWriter()) {
    changed(db);
    return load();
  }
  // Border: a key names one query with its parameters, and so one type.
  const kept = (db.cache.found.get(key) ?? db.cache.missing.get(key)) as T | undefined;
  if (kept !== undefined) return Promise.resolve(kept);
  return loadInto(db.cache, key, load);
}

/**
 * Every change of rows goes through here; `work` is one statement or one transaction. A failed one too forgets what
 * was kept, because it may have happened after all.
 */
export async function write<T>(db: Db, work: () => Promise<T>): Promise<T> {
  const finish = await db.sharing?.begin();
  let isOver = true;
  try {
    return await withoutLostRaces(work);
  } catch (error) {
    isOver = !(error instanceof StoreUnavailable);
    throw error;
  } finally {
    changed(db);
    await finish?.(isOver);
  }
}

/** PostgreSQL ends a deadlock by undoing one of the two; that one simply starts again. */
export async function withoutLostRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attemptsMax || !isLostRace(error)) throw error;
    }
  }
}

const attemptsMax = 3;

function changed(db: Db): void {
  if (db.cache !== null) forgetAll(db.cache);
}

export function forgetAll(cache: ReadCache): void {
  cache.generation++;
  cache.found = createRecent(entriesMax);
  cache.missing = createRecent(entriesMax);
}

const entriesMax = 20_000;

async function loadInto<T>(cache: ReadCache, key: string, load: () => Promise<T>): Promise<T> {
  const { generation } = cache;
  const value = await load();
  // A write that ended meanwhile may have changed what was read.
  if (cache.generation !== generation) return value;

  const entries = value === null || value === false ? cache.missing : cache.found;
  entries.set(key, Object.freeze(value));
  return value;
}
