import { apiInterface } from "./sdk-methods.mjs";
import { describe, typeOf } from "./sdk-types.mjs";

const header = "// Written by scripts/write-openapi.mjs from Foyer's contract. Do not edit.\n";

/** The generated files of the SDK by name, made from the modules of the contract. */
export function sdkFiles({ operationList, listErrorCodes, errorTable, openApiDocument }) {
  const document = JSON.parse(JSON.stringify(openApiDocument(null)));
  const calls = operationList.map(([id, operation]) => toCall(id, operation, document, listErrorCodes(operation)));
  const players = calls.filter(({ path }) => path.startsWith("/matchmaker/"));
  const operators = calls.filter(({ path }) => path.startsWith("/cloud/"));
  return {
    "types.ts": `${header}\n${types(document.components.schemas)}`,
    "errors.ts": `${header}\n${errorTypes(calls, errorTable)}`,
    "calls.ts": `${header}${table(players, operators)}`,
    "api.ts": `${header}${apiInterface(players, operators)}`,
  };
}

function toCall(id, operation, document, errors) {
  const described = document.paths[operation.path][operation.method.toLowerCase()];
  const answers = described.responses[200]?.content ?? {};
  const query = described.parameters.filter((parameter) => parameter.in === "query");
  const answer = answers["application/json"]?.schema ?? null;
  return {
    id,
    method: operation.method,
    path: operation.path,
    description: [operation.summary, operation.details].filter(Boolean).join(" "),
    params: [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    query,
    body: described.requestBody?.content["application/json"]?.schema ?? null,
    takesBytes: described.requestBody !== undefined && !("application/json" in described.requestBody.content),
    isBodyOptional: operation.bodyOptional,
    answer,
    dryRunAnswer: operation.dryRunReply ? answer.anyOf[1] : null,
    // By name; the document has them in the same order.
    events: operation.stream
      ? Object.keys(operation.stream).map((name, at) => [name, answers["text/event-stream"].schema.oneOf[at]])
      : null,
    streamWhen: operation.streamWhen ?? null,
    hasKey: operation.errors.includes("MATCHMAKER_IDEMPOTENCY_KEY_REUSED"),
    isRepeatable: isRepeatable(id, operation),
    items: query.some(({ name }) => name === "cursor") ? findItems(answer, document) : null,
    errors,
  };
}

/** Calls that may be sent again when their answer was lost: a second one changes nothing, or has the key of the first. */
const repeatable = new Set([
  "lobbies.ready",
  "lobbies.heartbeat",
  "lobbies.stop",
  "players.disconnected",
  "players.resume",
  "players.release",
]);

function isRepeatable(id, { method, isCheck, errors }) {
  if (method === "GET" || method === "PUT" || isCheck || repeatable.has(id)) return true;
  return errors.includes("MATCHMAKER_IDEMPOTENCY_KEY_REUSED");
}

/** The list that the pages of an answer carry: its only one, or the one that is named like the operation's resource. */
function findItems(answer, { components }) {
  const { properties } = answer.$ref ? components.schemas[answer.$ref.split("/").at(-1)] : answer;
  const lists = Object.keys(properties).filter((name) => properties[name].type === "array");
  const name = lists.length === 1 ? lists[0] : lists.find((list) => list === "lobbies");
  if (name === undefined) throw new Error(`Which list of ${JSON.stringify(lists)} has the items?`);
  return name;
}

function types(schemas) {
  return Object.entries(schemas)
    .filter(([name]) => name !== "Error")
    .map(([name, schema]) =>
      schema.type === "object" && schema.properties
        ? `${describe(schema.description)}export interface ${name} ${typeOf(schema)}\n`
        : `${describe(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
    )
    .join("\n");
}

function errorTypes(calls, errorTable) {
  const all = Object.entries(errorTable).map(
    ([code, { status, meaning }]) => `${describe(`${status}: ${meaning}`, "  ")}  readonly ${code}: ${status};\n`,
  );
  const everywhere = Object.keys(errorTable).filter((code) => calls.every(({ errors }) => errors.includes(code)));
  const union = (codes) => codes.map((code) => `"${code}"`).join("\n  | ");
  const byCall = calls.map(({ id, errors }) => {
    const own = errors.filter((code) => !everywhere.includes(code)).map((code) => `"${code}"`);
    const oneLine = `  readonly "${id}": ${["CommonError", ...own].join(" | ")};\n`;
    return oneLine.length <= 121
      ? oneLine
      : `  readonly "${id}":\n    | ${["CommonError", ...own].join("\n    | ")};\n`;
  });
  return [
    "/** Every error code with its HTTP status. */\n",
    `export interface ErrorStatus {\n${all.join("")}}\n\n`,
    "/** Foyer's codes and those of the SDK. UNKNOWN: the answer did not come from Foyer. NOT_CONFIGURED: no token or endpoint. */\n",
    'export type ErrorCode = keyof ErrorStatus | "UNKNOWN" | "NO_ANSWER" | "NOT_CONFIGURED";\n\n',
    "/** The codes that all operations can answer. */\n",
    `type CommonError =\n  | ${union(everywhere)};\n\n`,
    "/** The codes that each operation can answer. */\n",
    `export interface OperationErrors {\n${byCall.join("")}}\n`,
  ].join("");
}

function table(players, operators) {
  const lines = (calls) =>
    calls
      .map((call) => {
        const fields = [`method: "${call.method}"`, `path: "${call.path}"`];
        if (call.body || call.takesBytes) fields.push("hasBody: true");
        if (call.takesBytes) fields.push("takesBytes: true");
        if (call.query.length > 0) fields.push("hasQuery: true");
        if (call.hasKey) fields.push("hasKey: true");
        if (call.isRepeatable) fields.push("isRepeatable: true");
        if (call.items) fields.push(`items: "${call.items}"`);
        if (call.events) fields.push(`streams: ${call.streamWhen ? `"${call.streamWhen}"` : "true"}`);
        return `  "${call.id}": { ${fields.join(", ")} },\n`;
      })
      .join("");
  return `import type { Call } from "../call.ts";

export const playerCalls = {
${lines(players)}} as const satisfies Record<string, Call>;

export const operatorCalls = {
${lines(operators)}} as const satisfies Record<string, Call>;
`;
}
