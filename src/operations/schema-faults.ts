import type { ErrorObject } from "ajv";
import { namePatternSource } from "../contract/version-config.ts";

export type SchemaReason =
  | "required"
  | "wrong_type"
  | "unknown_field"
  | "out_of_range"
  | "too_short"
  | "too_long"
  | "too_few"
  | "too_many"
  | "not_unique"
  | "invalid";

/** `place` is the field itself, also for a missing or unknown one. */
export type SchemaFault = { place: string[]; reason: SchemaReason; message: string };

/** Ajv's errors in plain words, one per place, in Ajv's order. `root` is the value that was checked. */
export function schemaFaults(errors: readonly ErrorObject[], root: unknown): SchemaFault[] {
  const faults = new Map<string, SchemaFault>();
  for (const error of withoutBranches(errors)) {
    const fault = schemaFault(error, root);
    const key = JSON.stringify(fault.place);
    if (!faults.has(key)) faults.set(key, fault);
  }
  return [...faults.values()];
}

/**
 * When no branch of an anyOf or oneOf fits, Ajv reports every branch and the whole. The whole says too little and the
 * branches contradict one another, so what stays is the branch that was meant: the one whose errors lie deepest.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept = errors.filter((error) => error.keyword !== "propertyNames");
  if (!kept.some(isWhole)) return kept;
  // Each whole walks the list, so a body made of nothing but misfits must not make it long.
  kept = kept.slice(0, branchedErrorsMax);
  for (const whole of kept.filter(isWhole)) {
    const branches = new Map<string, ErrorObject[]>();
    for (const error of kept) {
      const isWithin = error.schemaPath.startsWith(`${whole.schemaPath}/`) && isUnder(error, whole.instancePath);
      if (!isWithin) continue;
      const branch = error.schemaPath.slice(whole.schemaPath.length + 1).split("/", 1)[0] ?? "";
      branches.set(branch, [...(branches.get(branch) ?? []), error]);
    }
    if (branches.size === 0) continue;
    const within = [...branches.values()];
    const meant = within.filter((branch) => branch.every((error) => !isAboutTheValueItself(error, whole)));
    const replacement = meant.length === 1 && meant[0] ? meant[0] : [mergedBranches(whole, within)];
    const dropped = new Set<ErrorObject>([whole, ...within.flat()]);
    const position = kept.findIndex((error) => dropped.has(error));
    const rest = kept.filter((error) => !dropped.has(error));
    kept = [...rest.slice(0, position), ...replacement, ...rest.slice(position)];
  }
  return kept;
}

const branchedErrorsMax = 500;

const isWhole = ({ keyword }: ErrorObject) => keyword === "anyOf" || keyword === "oneOf";

function isUnder(error: ErrorObject, instancePath: string): boolean {
  return error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`);
}

function isAboutTheValueItself(error: ErrorObject, whole: ErrorObject): boolean {
  return error.instancePath === whole.instancePath && ["type", "const", "enum"].includes(error.keyword);
}

/** Branches that are all constants make one enumeration, branches that are all types one list of types. */
function mergedBranches(whole: ErrorObject, branches: ErrorObject[][]): ErrorObject {
  const constants = branches.map((branch) => branch.find(({ keyword }) => keyword === "const"));
  if (constants.every((error) => error !== undefined)) {
    return { ...whole, keyword: "enum", params: { allowedValues: constants.map(({ params }) => params.allowedValue) } };
  }
  if (branches.flat().every(({ keyword }) => keyword === "type")) {
    return { ...whole, keyword: "type", params: { type: branches.flat().flatMap(({ params }) => params.type) } };
  }
  return whole;
}

function schemaFault(error: ErrorObject, root: unknown): SchemaFault {
  const place = placeOf(error);
  const [reason, message] = reasonAndWords(error, root);
  return { place, reason, message };
}

function placeOf(error: ErrorObject): string[] {
  const place = decodePointer(error.instancePath);
  if (error.keyword === "required") return [...place, String(error.params.missingProperty)];
  if (error.keyword === "additionalProperties") return [...place, String(error.params.additionalProperty)];
  if (error.propertyName !== undefined) return [...place, error.propertyName];
  return place;
}

function decodePointer(pointer: string): string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function reasonAndWords(error: ErrorObject, root: unknown): [SchemaReason, string] {
  const { keyword, params } = error;
  if (error.propertyName !== undefined) return nameWords(error);
  switch (keyword) {
    case "required":
      return ["required", "is required"];
    case "additionalProperties":
      return ["unknown_field", "is not a known field"];
    case "type":
      return typeWords(params.type, valueAt(root, error.instancePath));
    case "minimum":
      return ["out_of_range", `must be at least ${params.limit}`];
    case "maximum":
      return ["out_of_range", `must be at most ${params.limit}`];
    case "exclusiveMinimum":
      return ["out_of_range", `must be more than ${params.limit}`];
    case "exclusiveMaximum":
      return ["out_of_range", `must be less than ${params.limit}`];
    case "multipleOf":
      return ["out_of_range", `must be a multiple of ${params.multipleOf}`];
    case "minLength":
      return ["too_short", params.limit === 1 ? "must not be empty" : `must have at least ${params.limit} characters`];
    case "maxLength":
      return ["too_long", `must have at most ${counted(params.limit, "character")}`];
    case "minItems":
    case "minProperties":
      return ["too_few", `must have at least ${counted(params.limit, "entry", "entries")}`];
    case "maxItems":
    case "maxProperties":
      return ["too_many", `must have at most ${counted(params.limit, "entry", "entries")}`];
    case "uniqueItems":
      return ["not_unique", "must not name the same entry twice"];
    case "enum":
      return ["invalid", `must be one of ${listed(params.allowedValues)}`];
    case "const":
      return ["invalid", `must be ${JSON.stringify(params.allowedValue)}`];
    case "pattern":
      return ["invalid", patternWords(String(params.pattern))];
    case "format":
      return ["invalid", formatWords(String(params.format))];
    default:
      return ["invalid", "has a form that is not allowed here"];
  }
}

function nameWords({ keyword, params }: ErrorObject): [SchemaReason, string] {
  if (keyword === "maxLength") return ["too_long", `is a name of more than ${counted(params.limit, "character")}`];
  if (keyword === "minLength") return ["too_short", "is an empty name"];
  if (params.pattern === namePatternSource) {
    return ["invalid", "is not an allowed name: use at most 32 of a-z, 0-9 and single hyphens between them"];
  }
  return ["invalid", "is not an allowed name: use letters, digits and underscores, and no digit first"];
}

function typeWords(type: unknown, value: unknown): [SchemaReason, string] {
  const types = (Array.isArray(type) ? type : String(type).split(",")).map(String);
  const isFraction = typeof value === "number" && types.includes("integer") && !types.includes("number");
  if (isFraction) return ["out_of_range", "must be a whole number"];
  // That an optional field may be null is no news to someone who sent something else.
  const named = types.filter((name, index) => (name !== "null" || types.length === 1) && types.indexOf(name) === index);
  return ["wrong_type", `must be ${named.map((name) => typeNames[name] ?? name).join(" or ")}`];
}

const typeNames: Record<string, string> = {
  integer: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};

function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const part of decodePointer(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    // A border: the value comes from outside, and its own field was just found to exist.
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function counted(count: unknown, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function listed(values: unknown): string {
  const given = Array.isArray(values) ? values.filter((value) => value !== null) : [];
  return given.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(", ");
}

function patternWords(pattern: string): string {
  if (pattern.includes("[0-9a-fA-F]{8}-")) return "must be a UUID";
  if (pattern.includes("\\u0000")) return "must not contain the character NUL";
  return "has a form that is not allowed here";
}

function formatWords(format: string): string {
  if (format === "date-time") return "must be a time such as 2030-01-31T12:00:00.000Z";
  return `must be a valid ${format}`;
}
