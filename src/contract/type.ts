import type { Type as TypeBox } from "typebox";

type Options = Readonly<Record<string, unknown>>;

/** The fields that an object may lack. */
const optional = new WeakSet<object>();

function makeObject(properties: Readonly<Record<string, object>>, options?: Options) {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
  return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
}

function makeOptional(schema: object) {
  const copy = { ...schema };
  optional.add(copy);
  return copy;
}

/**
 * What the contract needs of TypeBox, with its types. A schema is a plain object, and TypeBox would load 373 files at each start
 * to make it.
 */
export const Type = {
  Array: (items: object, options?: Options) => ({ type: "array", items, ...options }),
  Boolean: (options?: Options) => ({ type: "boolean", ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Integer: (options?: Options) => ({ type: "integer", ...options }),
  Literal: (value: string | number | boolean, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Number: (options?: Options) => ({ type: "number", ...options }),
  Object: makeObject,
  Optional: makeOptional,
  String: (options?: Options) => ({ type: "string", ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Pick<
  typeof TypeBox,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Literal"
  | "Number"
  | "Object"
  | "Optional"
  | "String"
  | "Unknown"
  | "Unsafe"
>;
