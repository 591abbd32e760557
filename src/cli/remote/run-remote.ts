import type { Terminal } from "../terminal.ts";
import { type Client, createClient } from "./client.ts";
import { connect } from "./connection.ts";
import { CommandFailed, exitCodes, UsageError } from "./exit-codes.ts";
import type { Parsed } from "./flags.ts";
import { findTarget, type Target } from "./target.ts";

/** What a command of a service works with. */
export interface Remote {
  readonly terminal: Terminal;
  readonly parsed: Parsed;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  now(): number;
  readonly isJson: boolean;
  /** Aborts at Ctrl-C and other signals that end a program. */
  readonly signal: AbortSignal;
  client(): Promise<Client>;
  target(): Promise<Target & { client: Client }>;
  /** Prints an answer: as JSON with --json, else as this text. */
  print(answer: unknown, text: () => string): void;
}

/** Ctrl-C, a service manager, and a terminal that is closed. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a command, and turns its errors into a message and an exit code. */
export async function runRemote(
  parsed: Parsed,
  terminal: Terminal,
  run: (remote: Remote) => Promise<number | undefined>,
): Promise<number> {
  const { env } = process;
  const cwd = process.cwd();
  const isJson = parsed.flags.has("json");
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  for (const name of stopSignals) process.once(name, stop);
  let opened: Promise<Client> | undefined;
  const client = () => (opened ??= connect(parsed, env, cwd).then((connection) => createClient(connection)));
  try {
    const code = await run({
      ...{ terminal, parsed, env, cwd, now: terminal.now, isJson, signal: stopped.signal, client },
      target: async () => ({ client: await client(), ...(await findTarget(await client(), parsed)) }),
      print: (answer, text) => terminal.out(isJson ? `${JSON.stringify(answer ?? null, null, 2)}\n` : text()),
    });
    return code ?? exitCodes.done;
  } catch (error) {
    if (stopped.signal.aborted) return exitCodes.done;
    return explain(terminal, error);
  } finally {
    for (const name of stopSignals) process.off(name, stop);
  }
}

export function explain(terminal: Pick<Terminal, "err">, error: unknown): number {
  if (!(error instanceof CommandFailed) && !(error instanceof UsageError)) throw error;
  terminal.err(`foyer: ${error.message}\n`);
  return error instanceof UsageError ? exitCodes.badUsage : error.exitCode;
}
