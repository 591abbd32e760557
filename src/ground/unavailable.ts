/** The store cannot answer now and may later: connection lost, server starting, time-out, lock, full disk. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** Nothing was changed: the store was not reached, or got no commit, or reported a rollback. */
  readonly isUndone: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isUndone?: boolean } = {}) {
    super(message, options);
    this.isUndone = options.isUndone ?? false;
  }
}

/**
 * The engine is temporarily unavailable. The command had no effect, or its effect is unknown; retrying later is right.
 */
export class EngineUnavailable extends Error {
  override readonly name: string = "EngineUnavailable";
}

/** The rules threw an error on the state of one namespace. Retrying hardly helps; other namespaces are not affected. */
export class RuleFailed extends EngineUnavailable {
  override readonly name = "RuleFailed";
}

/** Whether retrying later may help. */
export function isUnavailable(error: unknown): error is StoreUnavailable | EngineUnavailable {
  return error instanceof StoreUnavailable || error instanceof EngineUnavailable;
}
