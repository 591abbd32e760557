import type { StreamEvent } from "foyer-sdk";
import type { Operation } from "../../contract/define.ts";
import { type OperationId, operationIds, operationList, operations } from "../../contract/index.ts";
import { flagLines, wrap } from "../help.ts";
import { bold, dim, type Terminal } from "../terminal.ts";
import { callById, uploadClient } from "./client.ts";
import { confirm } from "./confirm.ts";
import { confirmFlag } from "./confirm-flag.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { connectionFlags, type Flags, parseFlags } from "./flags.ts";
import { findLobbyId, partOfId } from "./lobby-ids.ts";
import { exampleOf } from "./operation-examples.ts";
import { type Input, operationFlags, pathNames, readInput } from "./operation-input.ts";
import { findOperation, operationsBelow } from "./operation-names.ts";
import { createProgress, mib, type Progress } from "./progress.ts";
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
    const given = args.slice(0, wordCount);
    const group = args.includes("--help") || args.includes("-h") ? operationsBelow(given) : [];
    if (group.length > 0) {
      terminal.out(listOperations(terminal, group));
      return exitCodes.done;
    }
    const { id, rest } = findOperation(given);
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

async function send(remote: Remote, id: OperationId, operation: Operation, input: Input): Promise<undefined> {
  const { terminal, parsed, print, isJson } = remote;
  const { streamWhen, stream, method, summary, query } = operation;
  if (method === "DELETE") await confirm({ terminal, parsed }, summary.replace(/\.$/, ""));
  const isStream = stream !== undefined && (streamWhen === undefined || input.query[streamWhen] === true);
  const file = parsed.flags.get("file");
  if (operation.rawBody && file === undefined) throw new UsageError(`Which file? ${exampleOf(id)}`);
  const hasBody = operation.body !== null || operation.rawBody;
  const body = operation.rawBody ? new Uint8Array() : input.body;
  const args = [
    ...(await wholeIds(remote, operation, input.path)),
    ...(hasBody ? [body] : []),
    ...(query === null ? [] : [input.query]),
  ];
  if (isStream) {
    // Cast: the SDK answers a stream with its events.
    for await (const { event, data } of callById(await remote.client(), id, args) as AsyncIterable<StreamEvent>) {
      const text = JSON.stringify(data);
      terminal.out(isJson ? `${JSON.stringify({ event, data })}\n` : `${bold(terminal, event)} ${clean(text)}\n`);
    }
    return;
  }
  const progress = createProgress(terminal);
  const client = await remote.client();
  const foyer = file === undefined ? client : uploadClient(client.connection, file, remote.signal, countUp(progress));
  const answer = await callById(foyer, id, args);
  progress.clear();
  print(answer, () => showAnswer(terminal, answer));
}

/** The words of a path, the end of a lobby's id made a whole one. What is no id is for the service to refuse. */
async function wholeIds(remote: Remote, operation: Operation, path: readonly string[]): Promise<readonly string[]> {
  const at = pathNames(operation).indexOf("lobby_id");
  const [game_id = "", namespace_id = ""] = path;
  if (at < 0 || !partOfId.test(path[at]!)) return path;
  return path.with(at, await findLobbyId(await remote.client(), { game_id, namespace_id }, path[at]!));
}

function countUp(progress: Progress): (bytes: number) => void {
  let sent = 0;
  return (bytes) => {
    sent += bytes;
    progress.update(`Uploading ${mib(sent)} …`);
  };
}

const usageOf = (id: OperationId) =>
  ["foyer call", id, ...pathNames(operations[id]).map((name) => name.toUpperCase()), "[FLAGS]"].join(" ");

function listOperations(terminal: Terminal, ids: readonly OperationId[] = operationIds): string {
  const width = Math.max(...ids.map((id) => id.length));
  const shown = operationList.filter(([id]) => ids.includes(id));
  const lines = shown.map(([id, { summary }]) => `  ${id.padEnd(width)}  ${dim(terminal, summary)}`);
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
