import { escapeUnprintable } from "./plain-line.ts";

/** Turns a JSON log line into one for people: time, level, message, key=value; the stack of an error below it. */
export function prettyLine(line: string, colours: boolean): string {
  const record = parseRecord(line);
  if (!record) return line;
  // A deploy has a line of its own on every node: what is deployed, and where.
  if (isDeploy(record.audit)) return "";
  const { time, level, msg, err, terminal_line: given, ...rest } = record;
  const paint = (code: string, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);

  const clock = paint("2", clockTime(String(time)));
  const short = isShortLine(given) ? { ...given, text: msg } : describeChange(rest.audit);
  if (short) return `${clock} ${paint(short.colour, printable(short.word).padEnd(8))} ${printable(short.text)}\n`;
  const name = String(level).toUpperCase().padEnd(5);
  const fields = Object.entries(rest).map(([key, value]) => `${paint("2", `${key}=`)}${showValue(value)}`);
  const head = [clock, paint(levelColours[String(level)] ?? "0", name), printable(msg ?? "")];
  return `${[...head, ...fields].filter(Boolean).join(" ")}\n${errorLines(err)}`;
}

/** A line that begins with a word of its own instead of a level, and has no fields. */
interface ShortLine {
  readonly word: string;
  readonly colour: string;
}

function isShortLine(value: unknown): value is ShortLine {
  return typeof value === "object" && value !== null && "word" in value && "colour" in value;
}

/** An entry of the audit log: what was changed and by which token. The JSON log has all of it. */
function describeChange(audit: unknown): (ShortLine & { readonly text: string }) | null {
  if (typeof audit !== "object" || audit === null) return null;
  const { operation, kind, client, target } = audit as Record<string, unknown>;
  const what = typeof target === "string" ? `${operation} ${target}` : operation;
  return { word: "changed", colour: "2", text: `${what}, with the ${kind} token, from ${client}` };
}

function isDeploy(audit: unknown): boolean {
  return typeof audit === "object" && audit !== null && "operation" in audit && audit.operation === deployOperation;
}

const deployOperation = "games.namespaces.updateGameNamespaceVersion";

const levelColours: Record<string, string> = {
  trace: "2",
  debug: "2",
  info: "32",
  warn: "33",
  error: "31",
  fatal: "1;31",
};

function parseRecord(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    // This is not a log record; showing it unchanged is better than losing it.
    return null;
  }
}

/** The local time of day: a person at a terminal knows the date. */
function clockTime(iso: string): string {
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  const milliseconds = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${milliseconds}`;
}

const shownMax = 300;

/** A long value, such as the last lines of a lobby's output, would hide the message; the JSON log has all of it. */
function showValue(value: unknown): string {
  const isWord = typeof value === "string" && /^[^\s"=]+$/.test(value);
  const text = printable(isWord ? value : JSON.stringify(value));
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

function errorLines(err: unknown, label = ""): string {
  if (typeof err !== "object" || err === null) return err === undefined ? "" : `    ${label}${printable(err)}\n`;
  const { type, message, stack, cause } = err as Record<string, unknown>;
  const lines = String(stack ?? `${type}: ${message}`).split("\n");
  const own = lines.map((line, index) => `    ${index === 0 ? label : ""}${printable(line)}\n`).join("");
  return cause === undefined ? own : own + errorLines(cause, "caused by ");
}

/** A logged value must not be able to move the cursor or fake a line of its own. */
function printable(value: unknown): string {
  return escapeUnprintable(String(value));
}
