import type { Static, TSchema } from "typebox";
import { pageSizeDefault, pageSizeMax, playerKeyMaxCharacters, uint32Max } from "../ground/limits.ts";
import { Type } from "./type.ts";

/** Every object of the contract refuses fields it does not name. */
export function object<P extends Record<string, TSchema>>(properties: P, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description && { description }) });
}

/** Symbols, because copies of a schema keep them and JSON Schema does not see them. */
const nameKey = Symbol("name");
const descriptionKey = Symbol("described as");

/** An object with a name in openapi.json, for code generators: no object of more than three fields goes without one. */
export function named<P extends Record<string, TSchema>>(name: string, properties: P, description?: string) {
  return Object.assign(object(properties, description), { [nameKey]: name });
}

/** Null: it has none. */
export function schemaName(schema: { readonly [nameKey]?: string }): string | null {
  return schema[nameKey] ?? null;
}

/** A schema that requests and answers are not checked against, described in openapi.json as if it were `other`. */
export function describedAs<S extends TSchema>(other: TSchema, schema: S): S {
  return Object.assign(schema, { [descriptionKey]: other });
}

/** What openapi.json describes instead of this schema, if there is anything. */
export function described(schema: { readonly [descriptionKey]?: object }): object {
  return schema[descriptionKey] ?? schema;
}

/**
 * An object with names that the caller chooses. Not Type.Record, which uses a pattern for names: `^.*$` does not match
 * a name with a line break, so its value would be neither checked nor answered.
 */
export function record<S extends TSchema>(value: S, rest: RecordRest = {}) {
  return Type.Unsafe<Record<string, Static<S>>>({ type: "object", additionalProperties: value, ...rest });
}

interface RecordRest {
  readonly propertyNames?: TSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly default?: unknown;
  readonly description?: string;
}

/** A field that may be absent or null. Written as a type list, so that an issue is reported once and not per branch. */
export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(nullable(schema));
}

/** A field that is always present and may be null. */
export function nullable<S extends TSchema>(schema: S) {
  const { type } = schema as { type?: string };
  if (!type) throw new Error("nullable() needs a schema with one plain type");
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [type, "null"] });
}

/** Text of one line: no control character (C0, DEL, C1) and no U+2028 or U+2029, which some programs read as line breaks. */
export const plainTextPatternSource = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$";

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

/** The answer of validate operations: an empty list means that creating it would succeed. */
export const issueArray = Type.Array(
  object({
    path: Type.Array(Type.String(), { description: "Where the issue is; the last element is the reason." }),
    message: Type.String(),
  }),
);

export const issueList = named("ValidationAnswer", { errors: issueArray });

export const pageQuery = object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

/** Present only when there is more: pass it as `?cursor=`. */
export const cursor = Type.Optional(Type.String({ description: "Absent on the last page." }));

/** The studio's own name for a player: visible ASCII, compared byte for byte. */
export const playerKey = (description: string) =>
  Type.String({ minLength: 1, maxLength: playerKeyMaxCharacters, pattern: "^[\\x21-\\x7e]*$", description });

/** A player's key where it is shown, to its lobby and to operators. */
export const keyShown = {
  key: Type.Optional(
    Type.String({ description: "Your own name for the player, if the call that took the seat gave one." }),
  ),
  is_key_vouched: Type.Optional(
    Type.Boolean({ description: "A server token gave the key. Otherwise the player did, and nothing vouches for it." }),
  ),
};
