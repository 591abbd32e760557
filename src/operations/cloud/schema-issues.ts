import { createIssueList } from "./issue-list.ts";
import { type Broken, nameWords, type SchemaReason, valueWords } from "./schema-words.ts";
import { isTimestamp } from "./timestamps.ts";

/** `place` is the field itself, also for a missing or unknown one. */
export type SchemaIssue = { place: string[]; reason: SchemaReason; message: string };

/** The parts of JSON Schema that the contract uses; `tests/openapi.test.ts` checks that it uses no others. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

/**
 * The issues of a value, in plain words, one per path and at most `max`, where the search stops. Ajv decides whether a
 * value is valid. It could list issues too, but only all of them, and a body of 64 KiB can have ten thousand. The order
 * is Ajv's: first the value itself and its size, then its content.
 */
export function listSchemaIssues(schema: Schema, root: unknown, max: number): SchemaIssue[] {
  const list = createIssueList<SchemaIssue>(max);
  const place: string[] = [];
  walk(schema, root, {
    place,
    isFull: () => list.isFull,
    report(broken, name) {
      const [reason, message] = (name === undefined ? valueWords : nameWords)(broken);
      list.add(name === undefined ? place : [...place, name], (at) => ({ place: at, reason, message }));
    },
  });
  return list.all();
}

interface Walk {
  /** The current path. */
  readonly place: string[];
  isFull(): boolean;
  /** `name`: the issue is about the name of that field, not about its value. */
  report(broken: Broken, name?: string): void;
}

function walk(schema: Schema, value: unknown, to: Walk): void {
  const broken = (keyword: string, limit: unknown) => to.report({ keyword, limit, value });
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) broken("type", schema.type);
  if (schema.const !== undefined && value !== schema.const) broken("const", schema.const);
  if (schema.enum && !schema.enum.includes(value)) broken("enum", schema.enum);
  if (schema.anyOf) walkBranches(schema.anyOf, value, to);
  if (typeof value === "number") {
    if (schema.maximum !== undefined && value > schema.maximum) broken("maximum", schema.maximum);
    if (schema.minimum !== undefined && value < schema.minimum) broken("minimum", schema.minimum);
  } else if (typeof value === "string") {
    const keyword = brokenByText(schema, value);
    if (keyword !== null) broken(keyword, schema[keyword]);
  } else if (Array.isArray(value)) {
    if (value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) broken("maxItems", schema.maxItems);
    if (value.length < (schema.minItems ?? 0)) broken("minItems", schema.minItems);
    if (schema.items) {
      const end = lookedAt(value.length, schema.maxItems);
      for (let index = 0; index < end && !to.isFull(); index++) {
        within(String(index), schema.items, value[index], to);
      }
    }
  } else if (typeof value === "object" && value !== null) {
    // It came from JSON, so all its fields are its own.
    walkFields(schema, value as Record<string, unknown>, to);
  }
}

function walkFields(schema: Schema, value: Readonly<Record<string, unknown>>, to: Walk): void {
  const all = Object.keys(value);
  const { properties = {}, additionalProperties: others } = schema;
  if (all.length > (schema.maxProperties ?? Number.POSITIVE_INFINITY)) {
    to.report({ keyword: "maxProperties", limit: schema.maxProperties, value });
  }
  if (all.length < (schema.minProperties ?? 0)) {
    to.report({ keyword: "minProperties", limit: schema.minProperties, value });
  }
  const names = all.slice(0, lookedAt(all.length, schema.maxProperties));
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) reportAt(name, { keyword: "required", limit: name, value: undefined }, to);
  }
  if (schema.propertyNames) {
    for (const name of names) {
      if (to.isFull()) return;
      const keyword = brokenByText(schema.propertyNames, name);
      if (keyword !== null) to.report({ keyword, limit: schema.propertyNames[keyword], value: name }, name);
    }
  }
  if (others !== undefined && others !== true) {
    for (const name of names) {
      if (to.isFull()) return;
      if (Object.hasOwn(properties, name)) continue;
      if (others === false) reportAt(name, { keyword: "additionalProperties", limit: name, value: value[name] }, to);
      else within(name, others, value[name], to);
    }
  }
  for (const [name, property] of Object.entries(properties)) {
    if (to.isFull()) return;
    if (Object.hasOwn(value, name)) within(name, property, value[name], to);
  }
}

/** The first entries of a list that is too long; that it is too long is already an issue. */
const lookedAt = (length: number, max: number | undefined) =>
  max === undefined || length <= max ? length : Math.min(length, max + entriesBeyondMax);

const entriesBeyondMax = 100;

function within(name: string, schema: Schema, value: unknown, to: Walk): void {
  to.place.push(name);
  walk(schema, value, to);
  to.place.pop();
}

function reportAt(name: string, broken: Broken, to: Walk): void {
  to.place.push(name);
  to.report(broken);
  to.place.pop();
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

/** The first keyword for texts that this text violates. */
function brokenByText(schema: Schema, text: string): "maxLength" | "minLength" | "pattern" | "format" | null {
  const { maxLength, minLength, pattern, format } = schema;
  if (maxLength !== undefined && text.length > maxLength && countCodePoints(text) > maxLength) return "maxLength";
  if (minLength !== undefined && text.length < 2 * minLength && countCodePoints(text) < minLength) return "minLength";
  if (pattern !== undefined && !compilePattern(pattern).test(text)) return "pattern";
  if (format === "date-time" && !isTimestamp(text)) return "format";
  return null;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** As many as the contract has patterns. */
const regExps = new Map<string, RegExp>();

function compilePattern(pattern: string): RegExp {
  const known = regExps.get(pattern) ?? new RegExp(pattern, "u");
  regExps.set(pattern, known);
  return known;
}

type Found = { readonly place: string[]; readonly broken: Broken; readonly name?: string };

/**
 * When no branch matches, the branches contradict each other. The issues shown are those of the intended branch: the
 * only one whose issues are deeper than the value itself. Without such a branch, the issues that all branches share are
 * shown.
 */
function walkBranches(branches: readonly Schema[], value: unknown, to: Walk): void {
  const found = branches.map((branch) => listBranchIssues(branch, value, to));
  if (found.some((issues) => issues.length === 0)) return;
  const meant = found.filter((issues) => issues.every((issue) => !isAboutTheValueItself(issue, to.place.length)));
  if (meant.length !== 1) {
    to.report(mergedBranches(found, value));
    return;
  }
  const depth = to.place.length;
  for (const { place, broken, name } of meant[0]!) {
    to.place.push(...place.slice(depth));
    to.report(broken, name);
    to.place.length = depth;
  }
}

function listBranchIssues(branch: Schema, value: unknown, { place }: Walk): Found[] {
  const found: Found[] = [];
  const report: Walk["report"] = (broken, name) =>
    void found.push({ place: [...place], broken, ...(name !== undefined && { name }) });
  walk(branch, value, { place, isFull: () => found.length >= branchIssuesMax, report });
  return found;
}

const branchIssuesMax = 100;

function isAboutTheValueItself({ place, broken }: Found, depth: number): boolean {
  return place.length === depth && ["type", "const", "enum"].includes(broken.keyword);
}

/** Branches that are all constants make one enumeration, branches that are all types one list of types. */
function mergedBranches(branches: readonly Found[][], value: unknown): Broken {
  const constants = branches.map((branch) => branch.find(({ broken }) => broken.keyword === "const"));
  if (constants.every((found) => found !== undefined)) {
    return { keyword: "enum", limit: constants.map(({ broken }) => broken.limit), value };
  }
  if (branches.flat().every(({ broken }) => broken.keyword === "type")) {
    return { keyword: "type", limit: branches.flat().flatMap(({ broken }) => broken.limit), value };
  }
  return { keyword: "anyOf", limit: null, value };
}
