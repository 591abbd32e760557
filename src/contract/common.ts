import { type Static, type TSchema, Type } from "typebox";
import { pageSizeDefault, pageSizeMax, uint32Max } from "../limits.ts";

/** Every object of the contract refuses fields it does not name. */
export function object<P extends Record<string, TSchema>>(properties: P, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description && { description }) });
}

/** A field that may be absent or null. Written as a type list, so that a fault is reported once and not per branch. */
export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(nullable(schema));
}

/** A field that is always there and may be null. */
export function nullable<S extends TSchema>(schema: S) {
  const { type } = schema as { type?: string };
  if (!type) throw new Error("nullable() needs a schema with one plain type");
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [type, "null"] });
}

export const uint32 = (description: string) => Type.Integer({ minimum: 0, maximum: uint32Max, description });

export const uuid = (description: string) =>
  Type.String({
    pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
    description,
  });

/** Why a lobby stopped, for descriptions; `tests/openapi.test.ts` compares it with the rules. */
export const stopReasons =
  "self, operator, crashed, start_failed, namespace_removed, node_lost, not_ready, empty, outdated or silent";

export const timestamp = (description: string) => Type.String({ format: "date-time", description });

/** What validate operations answer: an empty list means that creating it would succeed. */
export const faults = object({
  errors: Type.Array(
    object({
      path: Type.Array(Type.String(), { description: "Where the fault is; the last element is the reason." }),
      message: Type.String(),
    }),
  ),
});

export const pageQuery = object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

/** Present only when there is more: pass it as `?cursor=`. */
export const cursor = Type.Optional(Type.String({ description: "Absent on the last page." }));
