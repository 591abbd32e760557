import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** A schema as openapi.json has it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** What the document says about one status of an operation. */
interface DeclaredAnswer {
  /** The codes of a refusal; empty for a success. */
  readonly codes: ReadonlySet<string>;
  /** By content type what the body must be; null: any bytes. Without an entry the body is empty. */
  readonly bodies: ReadonlyMap<string, ValidateFunction | null>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Matches its path in requests, and how many characters of it are literal. */
  readonly pattern: RegExp;
  readonly literals: number;
  readonly params: readonly string[];
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  readonly body: { readonly isRequired: boolean; readonly schema: Schema } | null;
  /** The body is an archive. */
  readonly isRaw: boolean;
  /** Who may call it, by the words of its description. */
  readonly callers: readonly string[];
  readonly answers: ReadonlyMap<number, DeclaredAnswer>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
}

interface DescribedAnswer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
  };
}

const text = readFileSync(fileURLToPath(new URL("../../openapi.json", import.meta.url)), "utf8");
const described = JSON.parse(text) as Described;

/** The schema itself, where the document names it. */
export function resolve(schema: Schema): Schema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : resolve(described.components.schemas[name]!);
}

/** Every operation of openapi.json, read from the file that clients read. Each schema is compiled once. */
export function readOperations(): Operation[] {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addFormat("date-time", (value: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value));
  // Both places where a schema may be refer to the named ones in the same way.
  ajv.addSchema({ $id: "openapi", components: described.components });
  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: Schema): ValidateFunction => {
    const key = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components');
    const known = compiled.get(key);
    if (known) return known;
    const made = ajv.compile(JSON.parse(key) as object);
    compiled.set(key, made);
    return made;
  };
  return Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(path, method, operation, compile)),
  );
}

/** The operation at a path, as clients match it: literal parts before parameters. Null: there is none. */
export function operationAt(operations: readonly Operation[], method: string, target: string): Operation | null {
  const path = target.split("?", 1)[0]!;
  const found = operations.filter(({ pattern }) => pattern.test(path));
  const best = found.reduce((a, b) => (b.literals > a.literals ? b : a), found[0] ?? operations[0]!);
  return found.find((operation) => operation.path === best.path && operation.method === method) ?? null;
}

function toOperation(
  path: string,
  method: string,
  operation: DescribedOperation,
  compile: (schema: Schema) => ValidateFunction,
): Operation {
  const content = operation.requestBody?.content ?? {};
  const json = content["application/json"];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    literals: path.replace(/\{\w+\}/g, "").length,
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query: operation.parameters.filter((parameter) => parameter.in === "query"),
    body: json ? { isRequired: operation.requestBody!.required, schema: json.schema ?? {} } : null,
    isRaw: "application/gzip" in content,
    callers: readCallers(operation.description),
    answers: new Map(
      Object.entries(operation.responses).map(([status, answer]) => [
        Number(status),
        declared(Number(status), "$ref" in answer ? named(answer.$ref) : answer, compile),
      ]),
    ),
  };
}

function named(reference: string): DescribedAnswer {
  return described.components.responses[reference.replace("#/components/responses/", "")]!;
}

function declared(
  status: number,
  { description, content = {} }: DescribedAnswer,
  compile: (schema: Schema) => ValidateFunction,
): DeclaredAnswer {
  const bodies = Object.entries(content).map(([type, { schema }]) => [type, schema ? compile(schema) : null] as const);
  return { codes: new Set(status < 300 ? [] : description.split(", ")), bodies: new Map(bodies) };
}

/** "Callers: admin token, a page on a trusted domain." becomes ["admin", "origin"]. */
function readCallers(description: string): string[] {
  const listed = /Callers: (.*)\.$/.exec(description)?.[1] ?? "";
  return listed.split(", ").map((caller) => {
    if (caller === "no token") return "none";
    return caller === "a page on a trusted domain" ? "origin" : caller.replace(" token", "");
  });
}
