import { type Logger, pino, stdTimeFunctions } from "pino";
import { prettyLine } from "./log-pretty.ts";
import { escapeUnprintable } from "./plain-line.ts";
import { redact } from "./redact.ts";

export type { Logger } from "pino";

export interface LogOptions {
  readonly level: string;
  /** auto: pretty when the destination is a terminal, else JSON lines. */
  readonly format: "auto" | "json" | "pretty";
  readonly destination?: LogDestination;
  readonly colours?: boolean;
  /** More texts that must never appear, such as an admin token that the operator chose. */
  readonly secrets?: readonly string[];
}

interface LogDestination {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/**
 * A logger that cannot leak: tokens and passwords are removed from the finished line, whichever field, message or stack
 * contains them. Errors are reduced to type, code, message, stack and causes, because errors of the database drivers
 * have the query's values in other fields.
 */
export function createLog(options: LogOptions): Logger {
  const destination = options.destination ?? standardOutput();
  const isPretty = options.format === "pretty" || (options.format === "auto" && destination.isTTY === true);
  const hideSecrets = secretHider(options.secrets ?? []);
  // JSON leaves some characters as they are that move a terminal's cursor. Escaped, the line has the same value.
  const asShown = destination.isTTY
    ? (line: string) => `${escapeUnprintable(line.trimEnd())}\n`
    : (line: string) => line;

  return pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError, cause: describeError },
    },
    {
      write(line: string) {
        const safe = hideSecrets(redact(line));
        destination.write(isPretty ? prettyLine(safe, options.colours ?? false) : asShown(safe));
      },
    },
  );
}

/** Written before the call returns, so that the last line before an exit is not lost. */
function standardOutput(): LogDestination {
  const stream = pino.destination({ fd: 1, sync: true });
  // A terminal that was closed; the service still has to stop its lobbies.
  stream.on("error", () => undefined);
  return { write: (line) => stream.write(line), isTTY: process.stdout.isTTY };
}

function secretHider(secrets: readonly string[]): (line: string) => string {
  // A JSON line contains a secret in JSON's form, with quotes and backslashes escaped.
  const forms = secrets.filter((secret) => secret.length > 0).map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) => forms.reduce((text, form) => text.replaceAll(form, "[redacted]"), line);
}

function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  const described: Record<string, unknown> = {
    type: error.name,
    message: error.message,
    ...(error.stack && { stack: error.stack }),
    ...((typeof code === "string" || typeof code === "number") && { code }),
  };
  if (depth >= causesShownMax) return described;
  if (error.cause instanceof Error) described.cause = describeError(error.cause, depth + 1);
  if (error instanceof AggregateError)
    described.errors = error.errors.slice(0, causesShownMax).map((each) => describeError(each, depth + 1));
  return described;
}

const causesShownMax = 4;

const sayEveryMs = 10_000;

/**
 * Logs the same message at most every 10 s, with how often it happened since: while a store is unavailable, everything
 * fails several times a second, and logging each failure would hide the rest.
 */
export function throttled<T>(say: (what: T, times: number) => void): (what: T) => void {
  let times = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  return (what) => {
    times += 1;
    if (performance.now() - saidAt < sayEveryMs) return;
    say(what, times);
    saidAt = performance.now();
    times = 0;
  };
}

const textsMax = 1000;

/** The same with a limit per text, so that one message does not hide another. */
export function throttledByText(say: (what: string, times: number) => void): (what: string) => void {
  const said = new Map<string, (what: string) => void>();
  return (what) => {
    if (said.size >= textsMax) said.clear();
    const known = said.get(what) ?? throttled(say);
    said.set(what, known);
    known(what);
  };
}
