import { Ajv } from "ajv";
import type { TSchema } from "typebox";
import { describe, expect, test } from "vitest";
import { object, optional, uint32, uuid } from "../contract/common.ts";
import { Type } from "../contract/type.ts";
import type { Schema } from "../operations/cloud/schema-issues.ts";
import { listIssues } from "./schema-issues.ts";

const oneOf = (...schemas: TSchema[]) => Type.Optional(Type.Unsafe<unknown>({ anyOf: schemas }));

const schema = object({
  count: uint32("A number."),
  name: Type.String({ minLength: 1, maxLength: 5 }),
  flag: optional(Type.Boolean()),
  size: optional(Type.Integer({ minimum: 1 })),
  id: optional(uuid("An id.")),
  list: optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2 })),
  kind: oneOf(Type.Literal("red"), Type.Literal("blue")),
  color: Type.Optional(Type.Enum(["cyan", "pink"])),
  port: oneOf(
    object({ port: Type.Integer() }),
    object({ range: object({ min: Type.Integer(), max: Type.Integer() }) }),
  ),
  either: oneOf(Type.String(), Type.Integer()),
  "a/b~c": Type.Optional(Type.Integer()),
});

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

function issues(body: unknown) {
  const found = listIssues(schema as Schema, body);
  expect(found.length === 0).toBe(validate(body));
  return found.map(({ path, message }) => `${path.join("/")}: ${message}`);
}

const valid = { count: 1, name: "a" };

describe("listIssues", () => {
  test.each<[string, unknown, string[]]>([
    ["nothing wrong", valid, []],
    ["null for optional fields", { ...valid, flag: null, size: null, id: null, list: null }, []],
    ["all missing", {}, ["count: is required", "name: is required"]],
    ["not an object", [], [": must be an object"]],
    ["null", null, [": must be an object"]],
    ["unknown fields", { ...valid, nmae: 1, "x/y": 2 }, ["nmae: is not a known field", "x/y: is not a known field"]],
    ["too large", { ...valid, count: 4294967296 }, ["count: must be at most 4294967295"]],
    ["negative", { ...valid, count: -1 }, ["count: must be at least 0"]],
    ["a fraction", { ...valid, count: 1.5 }, ["count: must be a whole number"]],
    ["a numeric string", { ...valid, count: "5" }, ["count: must be an integer"]],
    ["null where it is needed", { ...valid, count: null }, ["count: must be an integer"]],
    ["optional of the wrong type", { ...valid, flag: "x" }, ["flag: must be true or false"]],
    ["empty", { ...valid, name: "" }, ["name: must not be empty"]],
    ["long", { ...valid, name: "abcdef" }, ["name: must have at most 5 characters"]],
    ["uuid", { ...valid, id: "x" }, ["id: must be a UUID"]],
    ["no entries", { ...valid, list: [] }, ["list: must have at least 1 entry"]],
    [
      "many entries",
      { ...valid, list: ["a", "b", 3] },
      ["list: must have at most 2 entries", "list/2: must be a string"],
    ],
    ["union of constants", { ...valid, kind: "green" }, ["kind: must be one of red, blue"]],
    ["union of constants, other type", { ...valid, kind: 5 }, ["kind: must be one of red, blue"]],
    ["enumeration", { ...valid, color: "green" }, ["color: must be one of cyan, pink"]],
    ["union of types", { ...valid, either: true }, ["either: must be a string or an integer"]],
    ["escaped pointers", { ...valid, "a/b~c": "x" }, ["a/b~c: must be an integer"]],
    [
      "several at once, each listed once",
      { count: "x", name: 1, extra: true, flag: 1 },
      [
        "extra: is not a known field",
        "count: must be an integer",
        "name: must be a string",
        "flag: must be true or false",
      ],
    ],
  ])("%s", (_, body, expected) => {
    expect(issues(body)).toEqual(expected);
  });

  test("a value that fits no branch of a union has few issues, none twice", () => {
    const found = issues({ ...valid, port: { range: { min: 1 } } });
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found).size).toBe(found.length);
    expect(issues({ ...valid, port: 5 })).toEqual(["port: must be an object"]);
  });

  test("a hostile body gets at most a hundred", () => {
    const body = { ...valid, ...Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1])) };
    expect(issues(body)).toHaveLength(100);
  });
});
