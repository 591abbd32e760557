import { EngineUnavailable, RuleFailed, StoreUnavailable } from "../ground/unavailable.ts";

export interface CollectedErrors {
  /** Throws an error that concerns every namespace: a store or an engine that is away. */
  add(error: unknown): void;
  /** At the end of the round. */
  throwFirst(): void;
}

/** For a round over all namespaces: one whose rules throw keeps no other from its turn. */
export function collectErrors(): CollectedErrors {
  const errors: unknown[] = [];
  return {
    add(error) {
      if (isAway(error)) throw error;
      errors.push(error);
    },
    throwFirst() {
      if (errors.length > 0) throw errors[0];
    },
  };
}

function isAway(error: unknown): boolean {
  if (error instanceof RuleFailed) return false;
  return error instanceof EngineUnavailable || error instanceof StoreUnavailable;
}
