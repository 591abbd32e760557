import { Type as TypeBox } from "typebox";
import { expect, test } from "vitest";
import { Type } from "../src/contract/type.ts";

type Makers = typeof Type;

const made: readonly (readonly [string, (type: Makers) => unknown])[] = [
  ["Array", (type) => type.Array(type.String(), { maxItems: 2 })],
  ["Boolean", (type) => type.Boolean({ description: "a" })],
  ["Enum", (type) => type.Enum(["a", "b"], { default: "a" })],
  ["Integer", (type) => type.Integer({ minimum: 0 })],
  ["Literal", (type) => [type.Literal("a"), type.Literal(1), type.Literal(true)]],
  ["Number", (type) => type.Number({ maximum: 1 })],
  ["Object", (type) => type.Object({ a: type.String() }, { additionalProperties: false })],
  ["Object without fields", (type) => type.Object({})],
  ["Optional", (type) => type.Object({ a: type.Optional(type.String()), b: type.Integer() })],
  ["Optional alone", (type) => type.Object({ a: type.Optional(type.Object({ b: type.Boolean() })) })],
  ["a copy of Optional", (type) => type.Object({ a: { ...type.Optional(type.String()) } })],
  ["String", (type) => type.String({ minLength: 1, pattern: "^a" })],
  ["Unknown", (type) => [type.Unknown(), type.Unknown({ description: "a" })]],
  ["Unsafe", (type) => type.Unsafe({ type: ["string", "null"] })],
];

test.each(made)("%s makes the schema that TypeBox makes", (_name, make) => {
  expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox)));
});

test("what is made optional was not changed", () => {
  const schema = Type.String();
  Type.Optional(schema);
  expect(Type.Object({ schema })).toMatchObject({ required: ["schema"] });
});
