import { describeCaller, listErrorCodes, type Operation } from "./define.ts";
import { errorCodes, errorTable } from "./errors.ts";
import { operationList } from "./index.ts";
import { operationName } from "./openapi-names.ts";
import { collectSchemas, type NamedSchemas } from "./openapi-schemas.ts";

/** The contract as OpenAPI 3.1. The committed openapi.json is this without a server address. */
export function openApiDocument(publicUrl: string | null) {
  const schemas = collectSchemas();
  const refusals = collectRefusals();
  const described = paths(schemas, refusals);
  return {
    openapi: "3.1.0",
    info: {
      title: "Foyer",
      version: "1",
      summary: "A self-hosted matchmaker for multiplayer games.",
      description:
        "Games contain namespaces; the matchmaker routes players to the lobbies of a namespace. Errors carry a code; /docs/errors explains each.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: publicUrl ?? "/" }],
    tags: [...new Set(operationList.map(([id]) => toTag(id)))].map((name) => ({ name })),
    paths: described,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "The kind is the token's prefix." } },
      responses: refusals.shared,
      schemas: { Error: errorSchema, ...schemas.all() },
    },
  };
}

function paths(schemas: NamedSchemas, refusals: Refusals): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of operationList) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = {
      operationId: id,
      tags: [toTag(id)],
      summary: operation.summary,
      description: `${operation.details ?? ""} Callers: ${operation.callers.map(describeCaller).join(", ")}.`.trim(),
      security: describeSecurity(operation),
      parameters: [
        ...pathParameters(operation),
        ...queryParameters(operation),
        ...retryParameters(operation),
        ...streamParameters(operation),
      ],
      ...(operation.body && { requestBody: requestBody(id, operation, schemas) }),
      ...(operation.rawBody && { requestBody: { required: true, content: rawContent } }),
      responses: { ...describeSuccess(id, operation, schemas), ...refusals.of(operation) },
    };
  }
  return paths;
}

function toTag(id: string): string {
  return id.slice(0, id.lastIndexOf("."));
}

function describeSecurity({ callers }: Operation) {
  if (callers.includes("none")) return [];
  return callers.includes("origin") ? [{ bearer: [] }, {}] : [{ bearer: [] }];
}

function pathParameters(operation: Operation) {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...((name === "game_id" || name === "namespace_id") && { description: "A UUID or a name_id." }),
  }));
}

function queryParameters(operation: Operation) {
  const { properties = {} } = (operation.query ?? {}) as { properties?: Record<string, unknown> };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: false, schema }));
}

function retryParameters(operation: Operation) {
  const description =
    "1 to 128 visible ASCII characters: a retry with the same key and body takes no second seat and gets the same tokens. " +
    "Make it of 128 random bits: a client that guesses it gets them too.";
  const header = { name: "Idempotency-Key", in: "header", required: false, schema: { type: "string" }, description };
  return operation.errors.includes("MATCHMAKER_IDEMPOTENCY_KEY_REUSED") ? [header] : [];
}

function streamParameters(operation: Operation) {
  const description = "The id of the last event received: the stream continues after it.";
  const header = { name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" }, description };
  return operation.stream ? [header] : [];
}

function requestBody(id: string, operation: Operation, schemas: NamedSchemas) {
  const schema = schemas.describeAs(`${operationName(id)}Request`, operation.body!);
  return { required: !operation.bodyOptional, content: { "application/json": { schema } } };
}

/** As OpenAPI 3.1 describes bytes. */
const rawContent = { "application/gzip": {} };

type Refusals = ReturnType<typeof collectRefusals>;

/** The answers that are not a success. What several operations can answer is written once, under the names of its codes. */
function collectRefusals() {
  const uses = new Map<string, number>();
  for (const [, operation] of operationList) {
    for (const codes of codesByStatus(operation).values()) uses.set(codes.join(), (uses.get(codes.join()) ?? 0) + 1);
  }
  const shared: Record<string, object> = {};
  function of(operation: Operation) {
    const described = [...codesByStatus(operation)].map(([status, codes]) => {
      const refusal = {
        description: codes.join(", "),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      };
      if (uses.get(codes.join()) === 1) return [status, refusal];
      const name = codes.join(".");
      shared[name] = refusal;
      return [status, { $ref: `#/components/responses/${name}` }];
    });
    return Object.fromEntries(described) as Record<number, object>;
  }
  return { of, shared };
}

function codesByStatus(operation: Operation): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  for (const code of listErrorCodes(operation)) {
    const { status } = errorTable[code];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

function describeSuccess(id: string, operation: Operation, schemas: NamedSchemas) {
  const { reply, dryRunReply, csvField, stream, streamWhen } = operation;
  const events = stream ? { "text/event-stream": { schema: describeEvents(stream, schemas) } } : {};
  if (stream && !reply) {
    const description =
      "Server-sent events until the client disconnects. The schema is that of each event's data, which repeats the event's name in `event`.";
    return { 200: { description, content: events } };
  }
  if (!reply) return { 204: { description: "Done. The body is empty." } };
  const usual = dryRunReply ? "Success; with `dry_run: true` a FindDryRunAnswer." : "Success.";
  const description = streamWhen ? `${usual} With \`${streamWhen}=true\` server-sent events.` : usual;
  const answer = schemas.describeAs(`${operationName(id)}Answer`, reply);
  const schema = dryRunReply ? { anyOf: [answer, schemas.describe(dryRunReply)] } : answer;
  const csv = csvField ? { "text/csv": { schema: describeCsv(reply, csvField) } } : {};
  return { 200: { description, content: { "application/json": { schema }, ...csv, ...events } } };
}

function describeEvents(stream: NonNullable<Operation["stream"]>, schemas: NamedSchemas) {
  const references = Object.entries(stream).map(([name, data]) => [name, schemas.describe(data)] as const);
  const mapping = Object.fromEntries(references.map(([name, { $ref }]) => [name, $ref]));
  return { oneOf: references.map(([, reference]) => reference), discriminator: { propertyName: "event", mapping } };
}

/** Text, with the names of its columns for those who parse it. */
function describeCsv(reply: object, csvField: string) {
  const { properties } = reply as { properties: Record<string, { items: { properties: object } }> };
  const columns = Object.keys(properties[csvField]!.items.properties);
  return { type: "string", description: `A header line, then a line per row. Columns: ${columns.join(", ")}.` };
}

const errorSchema = {
  type: "object",
  required: ["code", "message", "request_id", "documentation"],
  properties: {
    code: { type: "string", enum: errorCodes },
    message: { type: "string", description: "What is wrong and, if possible, what to do." },
    request_id: { type: "string" },
    documentation: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "array", items: { type: "string" } }, message: { type: "string" } },
      },
    },
    metadata: { type: "object" },
  },
};
