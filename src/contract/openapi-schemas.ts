import { described, schemaName } from "./common.ts";

type Json = Record<string, unknown>;

/** Collects the named schemas of a document while its paths are written. */
export interface NamedSchemas {
  /** The schema in the document: a reference if it has a name. */
  describe(schema: object): Json;
  /** The same, under this name if it has none of its own. Schemas without fields, such as any JSON value, need none. */
  describeAs(name: string, schema: object): Json;
  /** By name, in alphabetical order. */
  all(): Record<string, Json>;
}

export function collectSchemas(): NamedSchemas {
  const found = new Map<string, Json>();

  function refer(name: string, schema: object): Json {
    if (!found.has(name)) {
      // Noted first, for schemas that refer to themselves.
      const json: Json = {};
      found.set(name, json);
      Object.assign(json, describeInside(schema));
    } else if (JSON.stringify(found.get(name)) !== JSON.stringify(describeInside(schema))) {
      throw new Error(`Two schemas of the contract are named ${name}.`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function describe(given: object): Json {
    const schema = described(given);
    const name = schemaName(schema);
    if (name === null) return describeInside(schema);
    const { type } = schema as { type?: unknown };
    if (!Array.isArray(type)) return refer(name, schema);
    // It may be null; the named schema may not.
    return { anyOf: [refer(name, { ...schema, type: type[0] }), { type: "null" }] };
  }

  /** Every keyword of JSON Schema that holds schemas; the others are copied. */
  function describeInside(schema: object): Json {
    const json: Json = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "properties") json[keyword] = mapValues(value, describe);
      else if (keyword === "anyOf") json[keyword] = (value as object[]).map(describe);
      else if (typeof value === "object" && ["items", "additionalProperties", "propertyNames"].includes(keyword)) {
        json[keyword] = describe(value);
      } else json[keyword] = value;
    }
    return json;
  }

  return {
    describe,
    describeAs(name, schema) {
      const hasFields = "properties" in schema;
      return schemaName(schema) === null && hasFields ? refer(name, schema) : describe(schema);
    },
    all: () => Object.fromEntries([...found].sort(byName)),
  };
}

function mapValues(values: Record<string, object>, change: (value: object) => Json): Json {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
