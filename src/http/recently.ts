/** Calls the function at most once a second, and once at a time; all callers share the answer. */
export function recently<T>(ask: () => Promise<T>, now: () => number = () => performance.now()): () => Promise<T> {
  let asked: Promise<T> | null = null;
  /** Null: there is no answer yet. */
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
