import { plainTextPatternSource } from "../../contract/common.ts";
import { namePatternSource } from "../../contract/version-config.ts";

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

/** A keyword of JSON Schema that a value violates, and the schema's limit. `value` is the value. */
export type Broken = { readonly keyword: string; readonly limit: unknown; readonly value: unknown };

/** The issue, as a code for programs and as a text. */
export function valueWords({ keyword, limit, value }: Broken): [SchemaReason, string] {
  switch (keyword) {
    case "required":
      return ["required", "is required"];
    case "additionalProperties":
      return ["unknown_field", "is not a known field"];
    case "type":
      return typeWords(limit, value);
    case "minimum":
      return ["out_of_range", `must be at least ${limit}`];
    case "maximum":
      return ["out_of_range", `must be at most ${limit}`];
    case "minLength":
      return ["too_short", limit === 1 ? "must not be empty" : `must have at least ${limit} characters`];
    case "maxLength":
      return ["too_long", `must have at most ${counted(limit, "character")}`];
    case "minItems":
    case "minProperties":
      return ["too_few", `must have at least ${counted(limit, "entry", "entries")}`];
    case "maxItems":
    case "maxProperties":
      return ["too_many", `must have at most ${counted(limit, "entry", "entries")}`];
    case "enum":
      return ["invalid", `must be one of ${listed(limit)}`];
    case "const":
      return ["invalid", `must be ${JSON.stringify(limit)}`];
    case "pattern":
      return ["invalid", patternWords(String(limit))];
    case "format":
      return ["invalid", formatWords(String(limit))];
    default:
      return ["invalid", "has a form that is not allowed here"];
  }
}

/** The same for the name of a field, which has a schema of its own. */
export function nameWords({ keyword, limit }: Broken): [SchemaReason, string] {
  if (keyword === "maxLength") return ["too_long", `is a name of more than ${counted(limit, "character")}`];
  if (keyword === "minLength") return ["too_short", "is an empty name"];
  if (limit === namePatternSource) {
    return ["invalid", "is not an allowed name: use at most 32 of a-z, 0-9 and single hyphens between them"];
  }
  if (limit === plainTextPatternSource) return ["invalid", `is a name with ${notPlain}`];
  return ["invalid", "is not an allowed name: use letters, digits and underscores, and no digit first"];
}

const notPlain = "a control character or a line break";

function typeWords(type: unknown, value: unknown): [SchemaReason, string] {
  const types = [type].flat().map(String);
  const isFraction = typeof value === "number" && types.includes("integer") && !types.includes("number");
  if (isFraction) return ["out_of_range", "must be a whole number"];
  // That an optional field may also be null would not help a caller who sent something else.
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

function counted(count: unknown, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function listed(values: unknown): string {
  const given = Array.isArray(values) ? values.filter((value) => value !== null) : [];
  return given.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(", ");
}

function patternWords(pattern: string): string {
  if (pattern.includes("[0-9a-fA-F]{8}-")) return "must be a UUID";
  if (pattern === plainTextPatternSource) return `must be without ${notPlain}`;
  if (pattern.includes("\\u0000")) return "must not contain the character NUL";
  return "has a form that is not allowed here";
}

function formatWords(format: string): string {
  if (format === "date-time") return "must be a time such as 2030-01-31T12:00:00.000Z";
  return `must be a valid ${format}`;
}
