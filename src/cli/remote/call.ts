import type { Operation } from "../../contract/define.ts";
import { type OperationId, operationList, operations } from "../../contract/index.ts";
import { columns, wrap } from "../help.ts";
import { bold, dim, type Terminal } from "../terminal.ts";
import { exitCodes } from "./exit-codes.ts";
import { connectionFlags, type Flags, parseFlags } from "./flags.ts";
import { operationFlags, pathNames, readInput } from "./operation-input.ts";
import { findOperation } from "./operation-names.ts";
import { explain, type Remote, runRemote } from "./run-remote.ts";
import { clean, showAnswer } from "./show.ts";

/** `foyer call OPERATION …`, and `foyer games …`, which is the same without `call`. */
export async function callOperation(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args.length === 0) {
    terminal.out(listOperations(terminal));
    return exitCodes.done;
  }
  try {
    const isWord = args.map((arg) => !arg.startsWith("-"));
    const wordCount = isWord.indexOf(false) === -1 ? args.length : isWord.indexOf(false);
    const { id, rest } = findOperation(args.slice(0, wordCount));
    const operation: Operation = operations[id];
    const flags = { ...connectionFlags, ...operationFlags(operation), help: helpFlag };
    const parsed = parseFlags([...rest, ...args.slice(wordCount)], flags);
    if (parsed.flags.has("help")) {
      terminal.out(describeOperation(terminal, id, flags));
      return exitCodes.done;
    }
    const input = readInput(operation, parsed, usageOf(id));
    return await runRemote(parsed, terminal, (remote) => send(remote, id, operation, input));
  } catch (error) {
    return explain(terminal, error);
  }
}

const helpFlag = { value: null, description: "Describe the operation.", short: "h" };

async function send(
  { client, terminal, print, signal, isJson }: Remote,
  id: OperationId,
  operation: Operation,
  input: ReturnType<typeof readInput>,
): Promise<undefined> {
  const { streamWhen, stream } = operation;
  const isStream = stream !== undefined && (streamWhen === undefined || input.query?.[streamWhen] === "true");
  if (!isStream) {
    const answer = await (await client()).call(id, { ...input, signal });
    print(answer, () => showAnswer(terminal, answer));
    return;
  }
  for await (const { event, data } of (await client()).events(id, { ...input, signal })) {
    const text = JSON.stringify(data);
    terminal.out(isJson ? `${JSON.stringify({ event, data })}\n` : `${bold(terminal, event)} ${clean(text)}\n`);
  }
}

const usageOf = (id: OperationId) =>
  ["foyer call", id, ...pathNames(operations[id]).map((name) => name.toUpperCase()), "[FLAGS]"].join(" ");

function listOperations(terminal: Terminal): string {
  const width = Math.max(...operationList.map(([id]) => id.length));
  const lines = operationList.map(([id, { summary }]) => `  ${id.padEnd(width)}  ${dim(terminal, summary)}`);
  return `${bold(terminal, "Operations:")}\n${lines.join("\n")}\n\nfoyer call OPERATION --help describes one.\n`;
}

function describeOperation(terminal: Terminal, id: OperationId, flags: Flags): string {
  const { summary, details, method, path }: Operation = operations[id];
  const lines = Object.entries(flags).map(([name, { value, description }]) =>
    columns(terminal, `--${name}${value === null ? "" : ` ${value}`}`, 26, description),
  );
  return [
    `${bold(terminal, "Usage:")} ${usageOf(id)}`,
    dim(terminal, `${method} ${path}`),
    "",
    ...wrap([summary, details].filter((text) => text !== undefined).join(" "), terminal.columns),
    "",
    bold(terminal, "Flags:"),
    ...lines,
    "",
  ].join("\n");
}
