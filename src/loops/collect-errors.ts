import { EngineUnavailable, RuleFailed, StoreUnavailable } from "../ground/unavailable.ts";

export interface CollectedErrors {
  /** Throws an error that concerns every namespace: an unavailable store or engine. */
  add(error: unknown): void;
  /** Throws at the end of the round. */
  throwFirst(): void;
}

/** For a round over all namespaces: an error in the rules of one does not stop the others. */
export function collectErrors(): CollectedErrors {
  const errors: unknown[] = [];
  return {
    add(error) {
      if (concernsAll(error)) throw error;
      errors.push(error);
    },
    throwFirst() {
      if (errors.length > 0) throw errors[0];
    },
  };
}

function concernsAll(error: unknown): boolean {
  if (error instanceof RuleFailed) return false;
  return error instanceof EngineUnavailable || error instanceof StoreUnavailable;
}
