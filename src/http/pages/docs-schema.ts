import type { TSchema } from "typebox";
import { escapeHtml, inline } from "./html.ts";

/** The parts of JSON Schema that the contract uses. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Record<string, Shape>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly patternProperties?: Record<string, Shape>;
  readonly additionalProperties?: Shape | boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly description?: string;
}

/** A schema as a table with one row for every field, nested ones by their path. */
export function schemaTable(schema: TSchema): string {
  const rows = buildRows(schema as Shape, "", true);
  if (rows.length === 0) return `<p>${inline((schema as Shape).description ?? "Any JSON value.")}</p>`;
  return `<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function buildRows(shape: Shape, path: string, isRequired: boolean): string[] {
  const own = path === "" ? [] : [row(shape, path, isRequired)];
  const inner = Object.entries(shape.properties ?? {}).flatMap(([name, property]) =>
    buildRows(property, path === "" ? name : `${path}.${name}`, shape.required?.includes(name) ?? false),
  );
  const values = [...Object.values(shape.patternProperties ?? {}), shape.additionalProperties].filter(isShape);
  const named = values.flatMap((value) => buildRows(value, `${path}.{name}`, true));
  const items = shape.items?.properties ? buildRows({ ...shape.items }, `${path}[]`, true).slice(1) : [];
  return [...own, ...inner, ...named, ...items];
}

function isShape(value: Shape | boolean | undefined): value is Shape {
  return typeof value === "object";
}

function row(shape: Shape, path: string, isRequired: boolean): string {
  const bounds = [
    shape.enum && `one of ${shape.enum.map((value) => JSON.stringify(value)).join(", ")}`,
    shape.minimum !== undefined && `at least ${shape.minimum}`,
    shape.maximum !== undefined && `at most ${shape.maximum}`,
    shape.maxLength !== undefined && `at most ${shape.maxLength} characters`,
    shape.maxItems !== undefined && `at most ${shape.maxItems} items`,
    shape.maxProperties !== undefined && `at most ${shape.maxProperties} entries`,
  ].filter(Boolean);
  const type = [shape.type ?? (shape.enum ? "string" : "any")].flat().join(" or ");
  const array = shape.items?.type && !shape.items.properties ? ` of ${shape.items.type}` : "";
  const about = [shape.description, bounds.length > 0 && `${bounds.join(", ")}.`].filter(Boolean).join(" ");
  return `<tr><td><code>${escapeHtml(path)}</code>${isRequired ? "" : " <em>optional</em>"}</td><td>${escapeHtml(
    type + array,
  )}</td><td>${inline(about)}</td></tr>`;
}
