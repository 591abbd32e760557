import { FoyerError } from "foyer-sdk";
import { listenForStop } from "../signals.ts";
import type { Terminal } from "../terminal.ts";
import { type Client, createClient, describeRefusal, refusalExitCode } from "./client.ts";
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

/**
 * Runs a command, and turns its errors into a message and an exit code. `endsByStop`: it ends when it is stopped, as one
 * that follows something does; others have then failed.
 */
export async function runRemote(
  parsed: Parsed,
  terminal: Terminal,
  run: (remote: Remote) => Promise<number | undefined>,
  endsByStop = false,
): Promise<number> {
  const { env } = process;
  const cwd = process.cwd();
  const isJson = parsed.flags.has("json");
  const stop = listenForStop();
  const { signal } = stop;
  let opened: Promise<Client> | undefined;
  const client = () => (opened ??= connect(parsed, env, cwd).then((connection) => createClient(connection, signal)));
  try {
    const code = await run({
      ...{ terminal, parsed, env, cwd, now: terminal.now, isJson, signal, client },
      target: async () => ({ client: await client(), ...(await findTarget(await client(), parsed, cwd)) }),
      print: (answer, text) => terminal.out(isJson ? `${JSON.stringify(answer ?? null, null, 2)}\n` : text()),
    });
    return code ?? exitCodes.done;
  } catch (error) {
    if (!signal.aborted) return explain(terminal, error);
    if (endsByStop) return exitCodes.done;
    terminal.err(`foyer: Stopped${error instanceof CommandFailed ? `: ${error.message}` : "."}\n`);
    return stop.exitCode();
  } finally {
    stop.stopListening();
  }
}

export function explain(terminal: Pick<Terminal, "err">, error: unknown): number {
  if (error instanceof FoyerError) {
    terminal.err(`foyer: ${describeRefusal(error)}\n`);
    return refusalExitCode(error);
  }
  if (!(error instanceof CommandFailed) && !(error instanceof UsageError)) throw error;
  terminal.err(`foyer: ${error.message}\n`);
  return error instanceof UsageError ? exitCodes.badUsage : error.exitCode;
}
