import type { Chance } from "./chance.ts";
import { resolve, type Schema } from "./document.ts";

/** Gives a value for a field of this name that the service knows, or undefined. */
export type Known = (name: string) => unknown;

const samples = [
  "a",
  "duel",
  "a-name",
  "192.0.2.7",
  "Some Text",
  "A_1",
  "01234567-89ab-4cde-8f01-23456789abcd",
  "f".repeat(64),
  "registry.example.com/game:1",
  "2031-01-01T00:00:00.000Z",
];

/** A value that the schema accepts, often at the edge of what it accepts, with what the service knows where it can be. */
export function validValue(schema: Schema, chance: Chance, known: Known, name = ""): unknown {
  const here = resolve(schema);
  const types = typesOf(here);
  if (types.includes("null") && chance.percent(15)) return null;
  const given = known(name);
  if (given !== undefined && chance.percent(85)) return given;
  if (here.const !== undefined) return here.const;
  if (here.enum) return chance.pick(here.enum);
  if (here.anyOf) return validValue(chance.pick(here.anyOf), chance, known, name);
  const type = types.find((each) => each !== "null");
  if (type === "object") return validObject(here, chance, known);
  if (type === "array") return validArray(here, chance, known, name);
  if (type === "boolean") return chance.percent(50);
  if (type === "integer" || type === "number") return validNumber(here, chance);
  if (type === "string") return validText(here, chance);
  return chance.pick<unknown>([null, {}, [], "text", 1, { score: [1, 2, { a: "b" }] }]);
}

function typesOf({ type }: Schema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === "string" ? [type] : type;
}

function validObject(schema: Schema, chance: Chance, known: Known): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) || chance.percent(30)) made[name] = validValue(field, chance, known, name);
  }
  const { additionalProperties: more, propertyNames } = schema;
  if (typeof more !== "object") return made;
  const most = Math.min(schema.maxProperties ?? 4, 4);
  const count = chance.percent(3) ? (schema.maxProperties ?? 4) : chance.below(most + 1);
  for (let i = 0; i < count; i++) {
    const name =
      propertyNames && !propertyNames.pattern?.startsWith("^[^")
        ? `k${i}`
        : chance.pick(["default", "map", "x-1", `k${i}`]);
    made[name] = validValue(more, chance, known, "");
  }
  return made;
}

function validArray(schema: Schema, chance: Chance, known: Known, name: string): unknown[] {
  const least = schema.minItems ?? 0;
  const most = schema.maxItems ?? 4;
  const length = chance.percent(4) ? most : Math.min(most, least + chance.below(3));
  return Array.from({ length }, () => validValue(schema.items ?? {}, chance, known, `${name}[]`));
}

function validNumber({ minimum = -1000, maximum = 4_294_967_295, type }: Schema, chance: Chance): number {
  const isWhole = type === "integer" || (Array.isArray(type) && type.includes("integer"));
  const inside = minimum + chance.below(Math.min(maximum - minimum + 1, 20));
  const chosen = chance.pick([minimum, maximum, inside, inside, inside]);
  return isWhole ? Math.round(chosen) : chosen;
}

function validText(schema: Schema, chance: Chance): string {
  const { minLength = 0, maxLength = 200, pattern, format } = schema;
  if (format === "date-time")
    return chance.pick(["2031-01-01T00:00:00.000Z", "2030-02-28T23:59:59Z", "2020-01-01T00:00:00Z"]);
  const accepts = new RegExp(pattern ?? "", "u");
  const edges = ["a".repeat(Math.max(minLength, 1)), "a".repeat(Math.min(maxLength, 9000))];
  const fitting = [...samples, ...edges].filter(
    (text) => accepts.test(text) && text.length >= minLength && text.length <= maxLength,
  );
  return fitting.length === 0 ? "a" : chance.pick(fitting);
}
