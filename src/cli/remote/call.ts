import type { Operation } from "../../contract/define.ts";
import { type OperationId, operationList, operations } from "../../contract/index.ts";
import { flagLines, wrap } from "../help.ts";
import { bold, dim, type Terminal } from "../terminal.ts";
import type { Client, Input, Json } from "./client.ts";
import { confirm } from "./confirm.ts";
import { confirmFlag } from "./confirm-flag.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { connectionFlags, type Flags, parseFlags } from "./flags.ts";
import { exampleOf } from "./operation-examples.ts";
import { operationFlags, pathNames, readInput } from "./operation-input.ts";
import { findOperation } from "./operation-names.ts";
import { createProgress, mib } from "./progress.ts";
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
    const flags = { ...operationFlags(operation), ...confirmFlags(operation), ...connectionFlags, help: helpFlag };
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

/** What a DELETE removes or ends does not come back. */
export const confirmFlags = ({ method }: Operation): Flags => (method === "DELETE" ? confirmFlag : {});

const helpFlag = { value: null, description: "Describe the operation.", short: "h" };

async function send(
  { client, terminal, parsed, print, signal, isJson }: Remote,
  id: OperationId,
  operation: Operation,
  input: Input,
): Promise<undefined> {
  const { streamWhen, stream, method, summary } = operation;
  if (method === "DELETE") await confirm({ terminal, parsed }, summary.replace(/\.$/, ""));
  const isStream = stream !== undefined && (streamWhen === undefined || input.query?.[streamWhen] === "true");
  const file = parsed.flags.get("file");
  if (operation.rawBody && file === undefined) throw new UsageError(`Which file? ${exampleOf(id)}`);
  if (!isStream) {
    const service = await client();
    const answer =
      operation.rawBody && file !== undefined
        ? await upload(service, id, input, file, terminal)
        : await service.call(id, { ...input, signal });
    print(answer, () => showAnswer(terminal, answer));
    return;
  }
  for await (const { event, data } of (await client()).events(id, { ...input, signal })) {
    const text = JSON.stringify(data);
    terminal.out(isJson ? `${JSON.stringify({ event, data })}\n` : `${bold(terminal, event)} ${clean(text)}\n`);
  }
}

async function upload(client: Client, id: OperationId, input: Input, file: string, terminal: Terminal): Promise<Json> {
  const progress = createProgress(terminal);
  let sent = 0;
  const answer = await client.upload(id, file, input, (bytes) => {
    sent += bytes;
    progress.update(`Uploading ${mib(sent)} …`);
  });
  progress.clear();
  return answer;
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
  const lines = flagLines(terminal, flags);
  return [
    `${bold(terminal, "Usage:")} ${usageOf(id)}`,
    dim(terminal, `${method} ${path}`),
    "",
    ...wrap([summary, details].filter((text) => text !== undefined).join(" "), terminal.columns),
    "",
    bold(terminal, "Example:"),
    ...wrap(exampleOf(id), terminal.columns - 4).map((line, index) => `${index === 0 ? "  " : "    "}${line}`),
    "",
    bold(terminal, "Flags:"),
    ...lines,
    "",
  ].join("\n");
}
