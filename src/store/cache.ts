import { createRecent } from "../ground/bounded-cache.ts";
import { StoreUnavailable } from "../ground/unavailable.ts";
import type { Change, Db, Kept, ReadCache } from "./db.ts";
import { isLostRace, mayHaveHappened } from "./errors.ts";

export function createReadCache(): ReadCache {
  const generation = 0;
  const [found, missing] = [createRecent<Kept>(entriesMax), createRecent<Kept>(entriesMax)];
  return { found, missing, generation, unconfirmedBefore: 0, isStoreUnavailable: false };
}

const entriesMax = 20_000;
/** A store that takes longer counts as unavailable if there is an earlier answer. */
const answerWaitMs = 1_000;
const probeEveryMs = 500;

/**
 * Returns the cached answer, or loads it. Callers share answers, so they are frozen. `about` names the ids of the
 * answer, so that other changes do not drop it.
 */
export function cached<T>(
  db: Db,
  key: string,
  load: () => Promise<T>,
  about: (value: NonNullable<T>) => readonly string[] = () => [],
): Promise<T> {
  const { cache } = db;
  if (cache === null) return load();
  if (!db.mayKeep()) {
    changed(db, "everything");
    return load();
  }
  const kept = cache.found.get(key) ?? cache.missing.get(key);
  // The casts here and below are safe: a key names one query with its parameters, and so one type.
  if (kept !== undefined && kept.generation >= cache.unconfirmedBefore) return Promise.resolve(kept.value as T);
  if (kept === undefined) return loadInto(cache, key, load, about);
  if (cache.isStoreUnavailable) return Promise.resolve(kept.value as T);
  return loadOr(db, kept.value as T, loadInto(cache, key, load, about));
}

/** The cached answer without a promise, for every request. Undefined: ask `cached`. */
export function peekCached<T>(db: Db, key: string): T | undefined {
  const { cache } = db;
  if (cache === null || !db.mayKeep()) return undefined;
  const kept = cache.found.get(key);
  return kept !== undefined && kept.generation >= cache.unconfirmedBefore ? (kept.value as T) : undefined;
}

/** Adds an answer to the cache, unless a change happened after the read began. */
export function keep(
  cache: ReadCache,
  generation: number,
  key: string,
  value: unknown,
  about: readonly string[],
): void {
  if (cache.generation !== generation) return;
  const entries = value === null || value === false ? cache.missing : cache.found;
  entries.set(key, { value: Object.freeze(value), generation, about });
}

/**
 * Every change of rows goes through here; `work` is one statement or one transaction, and `toChange` says from its
 * outcome what was changed. A change that was not made does not touch the cache; after a change that may have been
 * made, the affected entries are unconfirmed.
 */
export async function write<T>(
  db: Db,
  work: () => Promise<T>,
  toChange: (outcome: T) => Change = () => "everything",
): Promise<T> {
  const reason = db.whyReadOnly();
  if (reason !== null) throw new StoreUnavailable(reason);
  const finish = await db.invalidation.begin();
  let change: Change = "unconfirmed";
  try {
    const outcome = await withoutLostRaces(work);
    change = toChange(outcome);
    return outcome;
  } catch (error) {
    if (!mayHaveHappened(error)) change = null;
    throw error;
  } finally {
    changed(db, change);
    await finish(change);
  }
}

/** PostgreSQL ends a deadlock by undoing one of the two transactions; that one starts again. */
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

/** Applies a change to the cache, whichever process made it. */
export function changed(db: Pick<Db, "cache" | "changeListeners">, change: Change): void {
  if (change === null) return;
  if (db.cache !== null) forget(db.cache, change);
  for (const listener of db.changeListeners) listener(change);
}

function forget(cache: ReadCache, change: NonNullable<Change>): void {
  cache.generation++;
  if (change === "unconfirmed") {
    cache.unconfirmedBefore = cache.generation;
    return;
  }
  cache.missing = createRecent(entriesMax);
  if (change === "everything") {
    cache.found = createRecent(entriesMax);
  } else {
    const ids = new Set(change);
    cache.found.drop(({ about }) => about.length === 0 || about.some((id) => ids.has(id)));
  }
}

async function loadInto<T>(
  cache: ReadCache,
  key: string,
  load: () => Promise<T>,
  about: (value: NonNullable<T>) => readonly string[],
): Promise<T> {
  const { generation } = cache;
  const value = await load();
  keep(cache, generation, key, value, value === null || value === undefined ? [] : about(value));
  return value;
}

/** Uses the earlier answer as long as the store does not answer. */
async function loadOr<T>(db: Db, before: T, loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable("The database does not answer.")), answerWaitMs);
  });
  try {
    return await Promise.race([loading, tooLate]);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    void expectStore(db);
    return before;
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when the store answers again: from then on unconfirmed entries are read again. */
async function expectStore(db: Db): Promise<void> {
  const { cache } = db;
  if (cache === null || cache.isStoreUnavailable) return;
  cache.isStoreUnavailable = true;
  while (!db.isClosed()) {
    await new Promise((resolve) => setTimeout(resolve, probeEveryMs).unref());
    const isBack = await db.ping().then(
      () => true,
      () => false,
    );
    if (!isBack) continue;
    cache.isStoreUnavailable = false;
    for (const listener of db.changeListeners) listener("unconfirmed");
    return;
  }
}
