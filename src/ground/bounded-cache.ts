/** Keeps what was used last: at least half of `max` entries, never more than `max`. */
export interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  /** Drops the entries for which the function returns true. */
  drop(isToGo: (value: T) => boolean): void;
  /** The number of entries. An entry in both halves counts twice. */
  size(): number;
}

/**
 * Two halves: when the young half is full, it becomes the old one, and entries of the previous old half that were not
 * used again are dropped.
 */
export function createRecent<T>(max: number): Recent<T> {
  const youngMax = Math.max(1, Math.floor(max / 2));
  let young = new Map<string, T>();
  let old = new Map<string, T>();

  function set(key: string, value: T): void {
    if (young.size >= youngMax && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    drop(isToGo) {
      for (const half of [young, old]) {
        for (const [key, value] of half) if (isToGo(value)) half.delete(key);
      }
    },
    size: () => young.size + old.size,
  };
}
