import { Ajv, type ErrorObject } from "ajv";
import { describe, expect, test } from "vitest";
import { operationList } from "../../contract/index.ts";
import { versionConfig } from "../../contract/version-config.ts";
import { listSchemaIssues, type Schema } from "./schema-issues.ts";
import { isTimestamp } from "./timestamps.ts";

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, validateSchema: false, meta: false });
ajv.addFormat("date-time", { type: "string", validate: isTimestamp });

/** Where Ajv finds an issue, one per place, in its order. */
function placesByAjv(errors: readonly ErrorObject[]): string[] {
  const places = errors
    .filter(({ keyword }) => keyword !== "propertyNames")
    .map(({ instancePath, keyword, params, propertyName }) => {
      const place = instancePath.split("/").slice(1);
      if (keyword === "required") place.push(params.missingProperty);
      if (keyword === "additionalProperties") place.push(params.additionalProperty);
      if (propertyName !== undefined) place.push(propertyName);
      return JSON.stringify(place.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")));
    });
  return [...new Set(places)];
}

/** Always the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const oddities: unknown[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 33,
  "",
  "x",
  "a-b",
  "a\nb",
  "\u2028",
  "x".repeat(600),
  "2030-01-31T12:00:00Z",
  "2030-02-30T12:00:00Z",
  "00000000-0000-7000-8000-000000000001",
  [],
  [1],
  {},
  { a: 1 },
];
const names = ["a", "A", "", "a\nb", "x/~y", "constructor", "toString", "PORT", "n".repeat(300)];

/** A value that often fits the schema and often does not. */
function valueFor(schema: Schema, random: (below: number) => number, depth = 0): unknown {
  if (random(8) === 0 || depth > 8) return oddities[random(oddities.length)];
  const type = [schema.type ?? "object"].flat()[0];
  if (schema.enum) return schema.enum[random(schema.enum.length)];
  if (type === "array") return Array.from({ length: random(4) }, () => valueFor(schema.items ?? {}, random, depth + 1));
  if (type === "integer" || type === "number") return random(200) - 20;
  if (type === "boolean") return random(2) === 0;
  if (type === "string") return oddities[5 + random(9)];
  const fields: [string, unknown][] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (random(4) > 0) fields.push([name, valueFor(property, random, depth + 1)]);
  }
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const count = typeof schema.additionalProperties === "object" ? random(4) : random(10) === 0 ? random(3) : 0;
  for (let more = 0; more < count; more++) {
    fields.push([names[random(names.length)]!, valueFor(others, random, depth + 1)]);
  }
  return Object.fromEntries(fields);
}

const schemas: [string, Schema][] = [
  ["the version document", versionConfig as Schema],
  ...operationList
    .filter(([, { body }]) => body !== null && "type" in body)
    .map(([id, { body }]): [string, Schema] => [id, body as Schema]),
];

describe("listSchemaIssues", () => {
  test.each(schemas)("[T21] %s: the issues that Ajv finds, in its order", (_id, schema) => {
    const validate = ajv.compile(schema);
    const random = randomOf(7);
    for (let round = 0; round < 400; round++) {
      const value = valueFor(schema, random);
      const fits = validate(value);
      const found = listSchemaIssues(schema, value, 1000).map(({ place }) => JSON.stringify(place));
      expect([JSON.stringify(value), found]).toEqual([JSON.stringify(value), placesByAjv(validate.errors ?? [])]);
      expect(found.length === 0).toBe(fits);
    }
  });

  test("[T57] it stops at the requested number of issues", () => {
    const { value, reads } = countingList(500_000);
    const list = { type: "array", items: { type: "string" } };
    expect(listSchemaIssues(list, value, 100)).toHaveLength(100);
    expect(reads()).toBe(100);
  });

  test("[T57] of what is too long it looks at the first entries only", () => {
    const { value, reads } = countingList(500_000);
    const list = { type: "array", maxItems: 20, items: { type: "integer" } };
    expect(listSchemaIssues(list, value, 100)).toEqual([
      { place: [], reason: "too_many", message: "must have at most 20 entries" },
    ]);
    expect(reads()).toBe(120);
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index < 4000 ? "" : 1]));
    const record = { type: "object", maxProperties: 8, additionalProperties: { type: "string" } };
    expect(listSchemaIssues(record, wide, 100).map(({ reason }) => reason)).toEqual(["too_many"]);
  });
});

/** Numbers, and how often one of them was looked at. */
function countingList(length: number): { value: number[]; reads: () => number } {
  let reads = 0;
  const value = new Proxy(
    Array.from({ length }, (_, index) => index),
    {
      get(list, name) {
        if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(list, name);
      },
    },
  );
  return { value, reads: () => reads };
}
