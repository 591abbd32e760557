import { describe, typeOf } from "./sdk-types.mjs";

/** The interfaces of the clients: one method per operation, at the path of its id. */
export function apiInterface(players, operators) {
  const interfaces = [
    describe("What games and their servers call."),
    `export interface PlayerApi ${tree(players)}\n\n`,
    describe("What operators call."),
    `export interface OperatorApi ${tree(operators)}\n`,
  ].join("");
  const bytes = players.concat(operators).some(({ takesBytes }) => takesBytes) ? ["Bytes"] : [];
  const schemas = [...new Set([...players, ...operators].flatMap(listSchemas))].sort();
  return [
    `import type { ${[...bytes, "CallOptions, KeyedCallOptions, Page, StreamEvent, StreamOptions"].join(", ")} } from "../call.ts";\n`,
    `import type {\n${schemas.map((name) => `  ${name},\n`).join("")}} from "./types.ts";\n\n`,
    interfaces,
  ].join("");
}

/** The methods of these operations as nested objects, by the parts of their ids. */
function tree(calls, depth = 0) {
  const indent = "  ".repeat(depth + 1);
  const groups = new Map();
  for (const call of calls) {
    const parts = call.id.split(".").slice(depth);
    const known = groups.get(parts[0]) ?? { methods: [], below: [] };
    (parts.length === 1 ? known.methods : known.below).push(call);
    groups.set(parts[0], known);
  }
  const lines = [...groups].map(([name, { methods, below }]) => {
    const nested = below.length > 0 ? `${indent}readonly ${name}: ${tree(below, depth + 1)};\n` : "";
    return methods.map((call) => method(name, call, indent)).join("") + nested;
  });
  return `{\n${lines.join("")}${"  ".repeat(depth)}}`;
}

function method(name, call, indent) {
  const comment = describe(`${call.description} (\`${call.id}\`: ${call.method} ${call.path})`, indent);
  return overloads(call)
    .map(({ input, options, answer }) => {
      const params = call.params.map((param) => `${camelCase(param)}: string`);
      const list = [...params, ...input, `options?: ${options}`].join(", ");
      return `${comment}${indent}${name}(${list}): ${answer};\n`;
    })
    .join("");
}

/** One, or two where the answer depends on a field of the request. */
function overloads(call) {
  const options = call.hasKey ? "KeyedCallOptions" : "CallOptions";
  const body = call.takesBytes ? "Bytes" : call.body ? typeOf(call.body) : null;
  const query = queryType(call);
  const isOptional = body ? call.isBodyOptional : !call.query.some(({ required }) => required);
  const given = (type) => (type === null ? [] : [`${body ? "body" : "query"}${isOptional ? "?" : ""}: ${type}`]);
  const both = body && query ? [`query?: ${query}`] : [];
  const events = call.events && `AsyncIterable<${call.events.map(eventType).join(" | ")}>`;
  if (events && !call.streamWhen) return [{ input: given(query), options: "StreamOptions", answer: events }];
  if (call.dryRunAnswer) {
    const usual = `${body} & { readonly dry_run?: false | null }`;
    return [
      { input: [`body: ${body} & { readonly dry_run: true }`], options, answer: promise(call.dryRunAnswer) },
      { input: [`body: ${usual}`], options, answer: promise(call.answer.anyOf[0]) },
    ];
  }
  const plain = { input: [...given(body ?? query), ...both], options, answer: answerType(call) };
  if (!call.streamWhen) return [plain];
  const following = `${query} & { readonly ${call.streamWhen}: true }`;
  return [{ input: [`query: ${following}`], options: "StreamOptions", answer: events }, plain];
}

function answerType({ answer, items }) {
  if (answer === null) return "Promise<void>";
  if (items === null) return promise(answer);
  const type = typeOf(answer);
  return `Page<${type}, "${items}">`;
}

const promise = (schema) => `Promise<${typeOf(schema)}>`;

const eventType = ([name, data]) => `StreamEvent<"${name}", ${typeOf(data)}>`;

function queryType({ query }) {
  if (query.length === 0) return null;
  const fields = query.map(({ name, required, schema }) => `readonly ${name}${required ? "" : "?"}: ${typeOf(schema)}`);
  return `{ ${fields.join("; ")} }`;
}

function listSchemas({ body, answer, events }) {
  const found = [];
  const visit = (value) => {
    if (value === null || typeof value !== "object") return;
    if (typeof value.$ref === "string") found.push(value.$ref.split("/").at(-1));
    for (const inner of Object.values(value)) visit(inner);
  };
  visit([body, answer, events]);
  return found;
}

function camelCase(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}
