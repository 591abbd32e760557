import { wantsColours } from "../config/config.ts";

/** Where a command writes. An argument, so that a test can read the output. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` is a terminal rather than a file or a program. */
  readonly isInteractive: boolean;
  readonly colours: boolean;
  readonly columns: number;
  /** The time of the wall clock. */
  now(): number;
}

export function standardTerminal(): Terminal {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    isInteractive: process.stdout.isTTY === true,
    colours: wantsColours(process.stdout),
    columns: Math.min(Math.max(process.stdout.columns ?? 80, 60), 100),
    now: Date.now,
  };
}

export const bold = (terminal: { colours: boolean }, text: string): string =>
  terminal.colours ? `\u001b[1m${text}\u001b[0m` : text;

export const dim = (terminal: { colours: boolean }, text: string): string =>
  terminal.colours ? `\u001b[2m${text}\u001b[0m` : text;
