import { ConfigError } from "../config/config.ts";
import { nearest } from "../config/nearest.ts";
import { readCommandLine } from "../config/sources.ts";
import { packageVersion } from "../ground/package-version.ts";
import { type CommandName, commands } from "./commands.ts";
import { commandHelp, overview } from "./help.ts";
import type { Terminal } from "./terminal.ts";

/** Runs one command to its end and returns the exit code. */
export async function run(given: readonly string[], terminal: Terminal): Promise<number> {
  // The only flag that belongs to a command and is not a setting.
  const isRepair = readCommandLine(given).words[0] === "repair";
  const argv = isRepair ? given.filter((argument) => argument !== confirmation) : given;
  if (isRepair && argv.length < given.length) return runCommand("repair", [], argv, terminal, true);
  const { words, help, version, issues } = readCommandLine(argv);
  const [name = "serve", ...rest] = words;
  if (version) return runCommand("version", [], argv, terminal);
  // A mistyped flag leaves its value as a word. The message must name the flag, not that word.
  if (issues.length > 0 && !help) return runCommand("config", [], argv, terminal);
  if (!isCommand(name)) return refuse(terminal, unknownCommand(name));
  if (help) return runCommand("help", words.length > 0 ? [name] : [], argv, terminal);
  return runCommand(name, rest, argv, terminal);
}

async function runCommand(
  name: CommandName,
  words: readonly string[],
  argv: readonly string[],
  terminal: Terminal,
  isConfirmed = false,
): Promise<number> {
  const { wordsMin, wordsMax, usage } = commands[name];
  if (words.length < wordsMin || words.length > wordsMax) {
    const problem = words.length > wordsMax ? `does not take "${words[wordsMax]}"` : "is incomplete";
    return refuse(terminal, `foyer ${name} ${problem}. Usage: ${usage}`);
  }
  try {
    return await runners[name](words, argv, terminal, isConfirmed);
  } catch (error) {
    if (error instanceof ConfigError) return refuse(terminal, error.message);
    throw error;
  }
}

const confirmation = "--yes";

type Runner = (
  words: readonly string[],
  argv: readonly string[],
  terminal: Terminal,
  isConfirmed: boolean,
) => number | Promise<number>;

// Each command loads what it needs when it runs: help must not wait for a database driver.
const runners: Record<CommandName, Runner> = {
  serve: async (_words, argv, terminal) => (await import("./serve.ts")).serve(argv, terminal),
  config: async (_words, argv, terminal) => (await import("./show-config.ts")).showConfig(argv, terminal),
  backup: async ([file = ""], argv, terminal) => (await import("./backup.ts")).backup(file, argv, terminal),
  export: async ([file = null], argv, terminal) => (await import("./export.ts")).exportCommand(file, argv, terminal),
  import: async ([file = ""], argv, terminal) => (await import("./import.ts")).importCommand(file, argv, terminal),
  repair: async (_words, argv, terminal, isConfirmed) =>
    (await import("./repair.ts")).repair(isConfirmed, argv, terminal),
  version(_words, _argv, terminal) {
    terminal.out(`foyer ${packageVersion()} (Node ${process.versions.node})\n`);
    return 0;
  },
  help([topic], _argv, terminal) {
    if (topic !== undefined && !isCommand(topic)) return refuse(terminal, unknownCommand(topic));
    terminal.out(topic === undefined ? overview(terminal) : commandHelp(topic, terminal));
    return 0;
  },
};

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string): string {
  const near = nearest(name, Object.keys(commands));
  return `"${name}" is not a command of foyer${near ? `; did you mean ${near}?` : ". `foyer help` lists them."}`;
}

function refuse(terminal: Terminal, message: string): number {
  terminal.err(`foyer: ${message}\n`);
  return 1;
}
