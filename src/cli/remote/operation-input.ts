import { readFileSync } from "node:fs";
import type { TSchema } from "typebox";
import type { Operation } from "../../contract/define.ts";
import { UsageError } from "./exit-codes.ts";
import type { Flags, Parsed } from "./flags.ts";

type Fields = Readonly<Record<string, FieldSchema>>;
type FieldSchema = TSchema & {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
};

export const pathNames = ({ path }: Operation): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** A flag for each field of the operation's query and body. */
export function operationFlags(operation: Operation): Flags {
  const query = Object.entries(fieldsOf(operation.query)).map(([name, schema]) => fieldFlag(name, schema));
  const own = Object.entries(fieldsOf(operation.body)).flatMap(([name, schema]) => [
    fieldFlag(name, schema),
    ...(isOnly(schema, "boolean") ? [denial(name)] : []),
  ]);
  const body = {
    value: "JSON",
    description: "The whole body as JSON; @FILE reads it from a file, - from standard input.",
  };
  const file = { value: "FILE", description: "The file to send." };
  return {
    ...Object.fromEntries([...query, ...own]),
    ...(operation.body !== null && { body }),
    ...(operation.rawBody && { file }),
  };
}

const fieldFlag = (name: string, schema: FieldSchema): FlagEntry => [
  toFlagName(name),
  { value: isOnly(schema, "boolean") ? null : placeholder(schema), description: describe(schema) },
];

const denial = (name: string): FlagEntry => [
  `no-${toFlagName(name)}`,
  { value: null, description: `The opposite of --${toFlagName(name)}.` },
];

type FlagEntry = [string, Flags[string]];

/** What a call cannot do without. */
export function requiredFlags({ query, body, bodyOptional }: Operation): { flag: string; placeholder: string }[] {
  const needed = (schema: TSchema | null) =>
    ((schema as { required?: readonly string[] } | null)?.required ?? []).map((name) => ({
      flag: toFlagName(name),
      field: fieldsOf(schema)[name]!,
    }));
  const fields = [...needed(query), ...(bodyOptional ? [] : needed(body))];
  return fields.map(({ flag, field }) => ({ flag, placeholder: isOnly(field, "boolean") ? "" : placeholder(field) }));
}

/** What a person gave for an operation: its path parameters in order, its query and its body. */
export interface Input {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Throws a UsageError that names what is missing or cannot be read. */
export function readInput(operation: Operation, { words, flags }: Parsed, usage: string): Input {
  const names = pathNames(operation);
  if (words.length !== names.length) throw new UsageError(`Usage: ${usage}`);
  const query = Object.fromEntries(
    Object.entries(fieldsOf(operation.query))
      .filter(([name]) => flags.has(toFlagName(name)))
      .map(([name, schema]) => [name, isOnly(schema, "boolean") || flags.get(toFlagName(name))]),
  );
  return { path: words, query, body: readBody(operation, flags) };
}

function readBody(operation: Operation, flags: Parsed["flags"]): unknown {
  if (operation.body === null) return undefined;
  const whole = flags.get("body");
  const given = whole === undefined ? {} : parseJson("--body", readSource(whole));
  const own = Object.entries(fieldsOf(operation.body)).flatMap(([name, schema]) => {
    const flag = toFlagName(name);
    if (flags.has(flag)) return [[name, readValue(flag, schema, flags.get(flag)!)]];
    return flags.has(`no-${flag}`) ? [[name, false]] : [];
  });
  if (own.length === 0) return whole === undefined && operation.bodyOptional ? undefined : given;
  return { ...(given as object), ...Object.fromEntries(own) };
}

function readSource(text: string): string {
  if (text !== "-" && !text.startsWith("@")) return text;
  const file = text === "-" ? 0 : text.slice(1);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${text === "-" ? "Standard input" : file} cannot be read: ${(error as Error).message}.`);
  }
}

/** A value as its field's type needs it. The service checks the rest. */
function readValue(flag: string, schema: FieldSchema, text: string): unknown {
  if (accepts(schema, "null") && text === "null") return null;
  if (accepts(schema, "boolean"))
    return text === "true" ? true : text === "false" ? false : parseJson(`--${flag}`, text);
  if (accepts(schema, "integer") || accepts(schema, "number")) {
    const number = Number(text);
    if (text.trim() === "" || Number.isNaN(number)) throw new UsageError(`--${flag} must be a number, not "${text}".`);
    return number;
  }
  if (accepts(schema, "array") && !/^\s*\[/.test(text)) return text.split(",").map((part) => part.trim());
  if (accepts(schema, "string")) return text;
  return parseJson(`--${flag}`, readSource(text));
}

function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${flag} is not valid JSON: ${(error as Error).message}.`);
  }
}

const toFlagName = (field: string) => field.replaceAll("_", "-");

function fieldsOf(schema: TSchema | null): Fields {
  return ((schema as { properties?: Fields } | null)?.properties ?? {}) as Fields;
}

const typesOf = ({ type }: FieldSchema): readonly string[] => (type === undefined ? [] : [type].flat());
const accepts = (schema: FieldSchema, type: string) => typesOf(schema).includes(type);
const isOnly = (schema: FieldSchema, type: string) =>
  typesOf(schema).every((each) => each === type || each === "null") && accepts(schema, type);

function placeholder(schema: FieldSchema): string {
  if (schema.enum) return schema.enum.filter((value) => value !== null).join("|");
  if (accepts(schema, "integer") || accepts(schema, "number")) return "NUMBER";
  if (accepts(schema, "array")) return "A,B,…";
  return accepts(schema, "string") ? "TEXT" : "JSON";
}

const describe = ({ description = "" }: FieldSchema) => description;
