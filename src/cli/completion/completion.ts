import { exitCodes } from "../remote/exit-codes.ts";
import type { Terminal } from "../terminal.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { createModel, type Shell, shells } from "./model.ts";
import { zshScript } from "./zsh.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** `foyer completion SHELL`: prints the script that completes foyer's command line there. */
export function completion(shell: string, terminal: Terminal): number {
  if (!shells.includes(shell as Shell)) {
    terminal.err(`foyer: "${shell}" is not one of ${shells.join(", ")}. For example: foyer completion bash\n`);
    return exitCodes.badUsage;
  }
  terminal.out(scripts[shell as Shell](createModel()));
  return exitCodes.done;
}
