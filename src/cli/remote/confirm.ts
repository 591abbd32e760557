import { createInterface } from "node:readline/promises";
import type { Terminal } from "../terminal.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";
import type { Parsed } from "./flags.ts";

/** Asks a person, unless --yes was given. A program has to give --yes. `what` is a sentence without its full stop. */
export async function confirm(
  { terminal, parsed }: { readonly terminal: Terminal; readonly parsed: Parsed },
  what: string,
): Promise<void> {
  if (parsed.flags.has("yes")) return;
  if (!terminal.isInteractive || !process.stdin.isTTY) throw new UsageError(`${what}. Give --yes if that is wanted.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await Promise.race([
      lines.question(`${what}. Go on? [y/N] `),
      // Ctrl-C and Ctrl-D are a no.
      new Promise<string>((resolve) => lines.once("close", () => resolve(""))),
    ]);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandFailed("Nothing was done.");
  } finally {
    lines.close();
  }
}
