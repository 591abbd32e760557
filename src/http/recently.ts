/** Asks at most once a second, and once at a time, however many callers there are: they share the answer. */
export function recently<T>(ask: () => Promise<T>, now: () => number = () => performance.now()): () => Promise<T> {
  let asked: Promise<T> | null = null;
  /** Null: the answer is not there yet. */
  let answeredAt: number | null = null;
  return () => {
    const isOld = answeredAt !== null && now() - answeredAt >= recentMs;
    if (asked !== null && !isOld) return asked;
    answeredAt = null;
    asked = ask().finally(() => {
      answeredAt = now();
    });
    return asked;
  };
}

const recentMs = 1000;
