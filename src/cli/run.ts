import { ConfigError } from "../config/config.ts";
import { nearest } from "../config/nearest.ts";
import { readCommandLine } from "../config/sources.ts";
import { packageVersion } from "../ground/package-version.ts";
import { type CommandName, commands } from "./commands.ts";
import { commandHelp, overview, topicHelp } from "./help.ts";
import { type HelpTopic, helpTopics } from "./help-topics.ts";
import { type OwnFlags, takeOwnFlags } from "./own-flags.ts";
import { type RemoteCommand, type RemoteCommandName, remoteCommands } from "./remote/commands.ts";
import { exitCodes, UsageError } from "./remote/exit-codes.ts";
import { parseFlags } from "./remote/flags.ts";
import { operationAliases } from "./remote/operation-aliases.ts";
import type { Remote } from "./remote/run-remote.ts";
import type { Terminal } from "./terminal.ts";

/** Runs one command to its end and returns the exit code. */
export async function run(given: readonly string[], terminal: Terminal): Promise<number> {
  const [first = "", ...others] = given;
  if (isRemote(first)) return runRemoteCommand(first, others, terminal);
  // What the scripts of foyer completion ask.
  if (first === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    for (const line of complete(others)) terminal.out(`${line}\n`);
    return exitCodes.done;
  }
  const own = takeOwnFlags(given);
  const { argv } = own;
  if (own.isConfirmed) return runCommand("repair", [], argv, terminal, own);
  const { words, help, version, issues } = readCommandLine(argv);
  const [name = "serve", ...rest] = words;
  if (version) return runCommand("version", [], argv, terminal);
  // A mistyped flag leaves its value as a word. The message must name the flag, not that word.
  if (issues.length > 0 && !help) return runCommand("config", [], argv, terminal);
  if (!isCommand(name)) return refuse(terminal, unknownCommand(name));
  if (help) return runCommand("help", words.length > 0 ? [name] : [], argv, terminal);
  if (isRemote(name)) return refuse(terminal, `foyer ${name} comes first; its flags follow it.`);
  return runCommand(name, rest, argv, terminal, own);
}

async function runCommand(
  name: Exclude<CommandName, RemoteName>,
  words: readonly string[],
  argv: readonly string[],
  terminal: Terminal,
  own: Pick<OwnFlags, "isConfirmed" | "builds"> = { isConfirmed: false, builds: null },
): Promise<number> {
  const { wordsMin, wordsMax, usage } = commands[name];
  if (words.length < wordsMin || words.length > wordsMax) {
    const problem = words.length > wordsMax ? `does not take "${words[wordsMax]}"` : "is incomplete";
    return refuse(terminal, `foyer ${name} ${problem}. Usage: ${usage}`);
  }
  try {
    return await runners[name](words, argv, terminal, own);
  } catch (error) {
    if (error instanceof ConfigError) return refuse(terminal, error.message);
    throw error;
  }
}

/** Whether the command talks to a service: it has flags of its own, and settings mean nothing to it. */
const isRemote = (name: string): name is RemoteName =>
  name === "call" || Object.hasOwn(remoteCommands, name) || aliases.has(name);

type RemoteName = RemoteCommandName | "call";

const aliases: ReadonlySet<string> = new Set(operationAliases);

async function runRemoteCommand(name: RemoteName, args: readonly string[], terminal: Terminal): Promise<number> {
  if (name === "call" || aliases.has(name)) {
    const isHelp = name === "call" && ["--help", "-h"].includes(args[0] ?? "");
    if (isHelp) return runCommand("help", ["call"], [], terminal);
    const { callOperation } = await import("./remote/call.ts");
    return callOperation(name === "call" ? args : [name, ...args], terminal);
  }
  if (args.includes("--help") || args.includes("-h")) return runCommand("help", [name], [], terminal);
  const { explain, runRemote } = await import("./remote/run-remote.ts");
  try {
    const { flags, wordsMin, wordsMax, usage, endsByStop = false }: RemoteCommand = remoteCommands[name];
    const parsed = parseFlags(args, flags);
    const { words } = parsed;
    if (words.length < wordsMin || words.length > wordsMax) {
      const target = flags.namespace ? ". The namespace is named with --game GAME --namespace NAME" : "";
      throw new UsageError(`Usage: ${usage}${target}.`);
    }
    const command = await remoteRunners[name]();
    return await runRemote(parsed, terminal, command, endsByStop);
  } catch (error) {
    return explain(terminal, error);
  }
}

const remoteRunners: Record<RemoteCommandName, () => Promise<(remote: Remote) => Promise<number | undefined>>> = {
  dev: async () => (await import("./dev/dev.ts")).dev,
  init: async () => (await import("./deploy/init.ts")).init,
  validate: async () => (await import("./deploy/deploy.ts")).validate,
  deploy: async () => (await import("./deploy/deploy.ts")).deploy,
  rollback: async () => (await import("./deploy/rollback.ts")).rollback,
  status: async () => (await import("./remote/status.ts")).status,
  lobbies: async () => (await import("./remote/lobbies.ts")).lobbies,
  logs: async () => (await import("./remote/logs.ts")).logs,
  find: async () => (await import("./remote/find.ts")).find,
  watch: async () => (await import("./remote/watch.ts")).watch,
  open: async () => (await import("./remote/open.ts")).open,
  load: async () => (await import("./load/load.ts")).load,
  login: async () => (await import("./remote/login.ts")).login,
  use: async () => (await import("./remote/login.ts")).use,
  logout: async () => (await import("./remote/login.ts")).logout,
};

type Runner = (
  words: readonly string[],
  argv: readonly string[],
  terminal: Terminal,
  own: Pick<OwnFlags, "isConfirmed" | "builds">,
) => number | Promise<number>;

// Each command loads what it needs when it runs: help must not wait for a database driver.
const runners: Record<Exclude<CommandName, RemoteName>, Runner> = {
  serve: async (_words, argv, terminal) => (await import("./serve.ts")).serve(argv, terminal),
  gateway: async (_words, argv, terminal) => (await import("./gateway.ts")).gateway(argv, terminal),
  config: async (_words, argv, terminal) => (await import("./show-config.ts")).showConfig(argv, terminal),
  doctor: async (_words, argv, terminal) => (await import("./doctor/doctor.ts")).doctor(argv, terminal),
  backup: async ([file = ""], argv, terminal) => (await import("./backup.ts")).backup(file, argv, terminal),
  export: async ([file = null], argv, terminal, { builds }) =>
    (await import("./export.ts")).exportCommand(file, argv, terminal, { builds }),
  import: async ([file = ""], argv, terminal, { builds }) =>
    (await import("./import.ts")).importCommand(file, argv, terminal, { builds }),
  repair: async (_words, argv, terminal, { isConfirmed }) =>
    (await import("./repair.ts")).repair(isConfirmed, argv, terminal),
  version(_words, _argv, terminal) {
    terminal.out(`foyer ${packageVersion()} (Node ${process.versions.node})\n`);
    return 0;
  },
  completion: async ([shell = ""], _argv, terminal) =>
    (await import("./completion/scripts.ts")).completion(shell, terminal),
  help: async ([topic], _argv, terminal) => describe(topic, terminal),
};

async function describe(topic: string | undefined, terminal: Terminal): Promise<number> {
  // An operation describes itself, as foyer call OPERATION --help does.
  if (topic?.includes(".")) return (await import("./remote/call.ts")).callOperation([topic, "--help"], terminal);
  if (topic === undefined) terminal.out(overview(terminal));
  else if (isCommand(topic)) terminal.out(commandHelp(topic, terminal));
  else if (isTopic(topic)) terminal.out(topicHelp(topic, terminal));
  else return refuse(terminal, unknownCommand(topic));
  return exitCodes.done;
}

const isTopic = (name: string): name is HelpTopic => Object.hasOwn(helpTopics, name);

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string): string {
  const near = nearest(name, Object.keys(commands));
  return `"${name}" is not a command of foyer${near ? `; did you mean ${near}?` : ". `foyer help` lists them."}`;
}

function refuse(terminal: Terminal, message: string): number {
  terminal.err(`foyer: ${message}\n`);
  return exitCodes.badUsage;
}
