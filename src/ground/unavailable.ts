/** The store cannot answer now and may later: connection lost, server starting, time-out, lock, full disk. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** Nothing was changed: the store was not reached, or was not told to commit, or said that it undid everything. */
  readonly isUndone: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isUndone?: boolean } = {}) {
    super(message, options);
    this.isUndone = options.isUndone ?? false;
  }
}

/** Live state cannot take or give anything now. The command had no effect, or its effect is unknown; trying later is right. */
export class EngineUnavailable extends Error {
  override readonly name: string = "EngineUnavailable";
}

/** The rules failed on what one namespace holds. Trying later hardly helps; other namespaces are not concerned. */
export class RuleFailed extends EngineUnavailable {
  override readonly name = "RuleFailed";
}

/** Trying again later may help. */
export function isUnavailable(error: unknown): error is StoreUnavailable | EngineUnavailable {
  return error instanceof StoreUnavailable || error instanceof EngineUnavailable;
}
