import { operationFlags, pathNames } from "../../src/cli/remote/operation-input.ts";
import type { Operation } from "../../src/contract/define.ts";
import type { Example } from "./api-examples.ts";

/** The address that examples use. The pages' script puts the address of the service there. */
export const exampleOrigin = "http://127.0.0.1:7100";

export interface Calls {
  readonly curl: string;
  readonly foyer: string;
  readonly sdk: string;
}

/** The same request in three forms, to be copied. */
export function callsOf(id: string, operation: Operation, example: Example): Calls {
  return {
    curl: curlCall(operation, example),
    foyer: foyerCall(id, operation, example),
    sdk: sdkCall(id, operation, example),
  };
}

/** The path with its parameters and query. */
export function requestPath(operation: Operation, { params, query }: Example): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** Whether it is called by an operator; else by a game or its server. */
const isForOperators = ({ callers }: Operation) => callers.includes("admin") || callers.includes("cloud");

const isOpen = ({ callers }: Operation) => callers.includes("none");

function curlCall(operation: Operation, example: Example): string {
  const flags: string[] = [];
  const streams = operation.stream !== undefined && operation.streamWhen === undefined;
  const usual = example.body === undefined && !operation.rawBody ? "GET" : "POST";
  if (operation.method !== usual) flags.push(`-X ${operation.method}`);
  if (streams) flags.push("-N");
  if (!isOpen(operation)) flags.push('-H "Authorization: Bearer $TOKEN"');
  if (operation.rawBody) flags.push("--data-binary @server.tar.gz");
  if (example.body !== undefined) {
    flags.push('-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(example.body))}`);
  }
  return [`curl ${quoteWord(exampleOrigin + requestPath(operation, example))}`, ...flags].join(" \\\n  ");
}

function foyerCall(id: string, operation: Operation, example: Example): string {
  const words = pathNames(operation).map((name) => quoteWord(example.params[name]!));
  const command = ["foyer call", id, ...words].join(" ");
  if (operation.rawBody) return "# foyer deploy uploads a folder as a build and deploys it.\nfoyer deploy";
  const query = Object.entries(example.query).map(([name, value]) => flag(name, value));
  const lines = [command, ...query, ...bodyFlags(operation, example.body)];
  if (!isForOperators(operation) && !isOpen(operation))
    lines.push(`--endpoint ${exampleOrigin} --token-file token.txt`);
  return lines.join(" \\\n  ");
}

/** A flag for each field, or the whole body where a field is more than a flag can say. */
function bodyFlags(operation: Operation, body: unknown): string[] {
  if (body === undefined) return [];
  const fields = Object.entries((body ?? {}) as object);
  const known = operationFlags(operation);
  const isPlain = ([name, value]: [string, unknown]) =>
    name.replaceAll("_", "-") in known &&
    (["string", "number", "boolean"].includes(typeof value) ||
      (Array.isArray(value) && value.every((each) => typeof each === "string")));
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  if (!isObject || !fields.every(isPlain)) return [`--body ${quote(JSON.stringify(body))}`];
  return fields.map(([name, value]) => flag(name, value));
}

function flag(name: string, value: unknown): string {
  const option = `--${name.replaceAll("_", "-")}`;
  if (value === true) return option;
  return value === false
    ? `${option}=false`
    : `${option} ${quoteWord(Array.isArray(value) ? value.join(",") : String(value))}`;
}

function sdkCall(id: string, operation: Operation, example: Example): string {
  const given = pathNames(operation).map((name) => JSON.stringify(example.params[name]));
  if (operation.rawBody) given.push("archive");
  if (example.body !== undefined) given.push(literal(example.body));
  else if (operation.body !== null && Object.keys(example.query).length > 0) given.push("undefined");
  if (Object.keys(example.query).length > 0) given.push(literal(example.query));
  const call = `foyer.${id}(${given.join(", ")})`;
  const start = [
    'import { createFoyer } from "foyer-sdk";',
    ...(operation.rawBody ? ['import { readFileSync } from "node:fs";'] : []),
    "",
    `const foyer = createFoyer({ endpoint: "${exampleOrigin}"${isOpen(operation) ? "" : ", token: process.env.TOKEN"} });`,
    ...(operation.rawBody ? ['const archive = readFileSync("server.tar.gz");'] : []),
  ];
  const isStream = operation.stream !== undefined && operation.streamWhen === undefined;
  if (isStream)
    return [...start, `for await (const { event, data } of ${call}) {`, "  console.log(event, data);", "}"].join("\n");
  const takes = operation.reply === null ? "" : "const answer = ";
  return [...start, `${takes}await ${call};`].join("\n");
}

/** A value as JavaScript writes it: names without quotes. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, " ")
    .replace(/"([A-Za-z_$][\w$]*)": /g, "$1: ")
    .replace(/\[ /g, "[")
    .replace(/ \]/g, "]");
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const quoteWord = (text: string) => (/^[\w./:@,-]+$/.test(text) ? text : `"${text}"`);
