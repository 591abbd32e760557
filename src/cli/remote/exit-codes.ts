/** What a command that talks to a service exits with; `foyer help exit-codes` prints the same. */
export const exitCodes = {
  done: 0,
  failed: 1,
  badUsage: 2,
  refused: 3,
  unreachable: 4,
} as const;

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command cannot be carried out; the message says why and what to do. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
