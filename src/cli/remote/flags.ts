import { parseArgs } from "node:util";
import { nearest } from "../../config/nearest.ts";
import { UsageError } from "./exit-codes.ts";

/** A flag of one command. */
interface Flag {
  /** Stands for its value in help texts; null: it takes none. */
  readonly value: string | null;
  readonly description: string;
  readonly short?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The words of a command line, and its flags by name; a flag without a value is "true". */
export interface Parsed {
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

/** Where the service is and who calls it: flags of every command that talks to one. */
export const connectionFlags: Flags = {
  profile: { value: "NAME", description: "The service to talk to, as named by foyer login." },
  endpoint: { value: "URL", description: "The address of the service, in place of a profile's." },
  "token-file": { value: "FILE", description: "File with the token; - reads it from standard input." },
  "data-dir": { value: "DIR", description: "Data folder of a Foyer on this machine; .foyer by default." },
  json: { value: null, description: "Print JSON, for programs." },
};

/** Which namespace a command is about. */
export const targetFlags: Flags = {
  game: {
    value: "GAME",
    description: "The game; by default that of foyer.game.json or foyer use, or the only one.",
    short: "g",
  },
  namespace: {
    value: "NAME",
    description: "The namespace; by default that of foyer use, or the only one.",
    short: "n",
  },
};

/** Throws a UsageError that names every mistake. */
export function parseFlags(args: readonly string[], known: Flags): Parsed {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, short }]) => [
      name,
      { type: value === null ? ("boolean" as const) : ("string" as const), ...(short && { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const words: string[] = [];
  const flags = new Map<string, string>();
  const issues: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(known, token.name) ? known[token.name]! : null;
    if (flag === null) {
      const near = nearest(token.name, Object.keys(known));
      issues.push(`${token.rawName} is not a flag of this command${near ? `; did you mean --${near}?` : "."}`);
    } else if (flag.value === null && token.value !== undefined) issues.push(`${token.rawName} takes no value.`);
    else if (flag.value !== null && token.value === undefined)
      issues.push(`${token.rawName} needs a value: ${flag.value}.`);
    else flags.set(token.name, token.value ?? "true");
  }
  if (issues.length > 0) throw new UsageError(issues.join(" "));
  return { words, flags };
}
