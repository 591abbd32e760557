import { escapeHtml, inline, markdownTable } from "./text.ts";

/** The parts of JSON Schema that the contract uses. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Record<string, Shape>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly additionalProperties?: Shape | boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly description?: string;
}

interface Row {
  readonly path: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly about: string;
}

/** One row for every field of a schema, nested ones by their path. */
function schemaRows(schema: object): Row[] {
  return collect(schema as Shape, "", true);
}

function collect(shape: Shape, path: string, isRequired: boolean): Row[] {
  const own = path === "" ? [] : [toRow(shape, path, isRequired)];
  const inner = Object.entries(shape.properties ?? {}).flatMap(([name, property]) =>
    collect(property, path === "" ? name : `${path}.${name}`, shape.required?.includes(name) ?? false),
  );
  const value = shape.additionalProperties;
  const named = typeof value === "object" ? collect(value, `${path === "" ? "" : `${path}.`}{name}`, true) : [];
  const items = shape.items?.properties ? collect(shape.items, `${path}[]`, true).slice(1) : [];
  return [...own, ...inner, ...named, ...items];
}

function toRow(shape: Shape, path: string, isRequired: boolean): Row {
  const bounds = [
    shape.enum && `One of ${shape.enum.map((value) => `\`${String(value)}\``).join(", ")}.`,
    shape.minimum !== undefined && shape.maximum !== undefined && `${shape.minimum} to ${shape.maximum}.`,
    shape.minimum !== undefined && shape.maximum === undefined && `At least ${shape.minimum}.`,
    shape.minimum === undefined && shape.maximum !== undefined && `At most ${shape.maximum}.`,
    shape.maxLength !== undefined && `At most ${shape.maxLength} characters.`,
    shape.maxItems !== undefined && `At most ${shape.maxItems} items.`,
    shape.maxProperties !== undefined && `At most ${shape.maxProperties} entries.`,
    shape.default !== undefined && `Default: \`${JSON.stringify(shape.default)}\`.`,
  ].filter(Boolean);
  return { path, isRequired, type: typeText(shape), about: [shape.description, ...bounds].filter(Boolean).join(" ") };
}

function typeText(shape: Shape): string {
  const types = [shape.type ?? (shape.enum || shape.const !== undefined ? "string" : "any")].flat();
  const array = shape.items?.type && !shape.items.properties ? ` of ${[shape.items.type].flat().join(" or ")}` : "";
  return types.join(" or ") + array;
}

/** A schema as a table of HTML, or a sentence if it has no fields. */
export function schemaTable(schema: object): string {
  const rows = schemaRows(schema);
  if (rows.length === 0) return `<p>${inline((schema as Shape).description ?? "Any JSON value.")}</p>`;
  const body = rows.map(
    ({ path, isRequired, type, about }) =>
      `<tr><td><code>${escapeHtml(path)}</code>${isRequired ? "" : ' <span class="optional">optional</span>'}</td><td>${escapeHtml(type)}</td><td>${inline(about)}</td></tr>`,
  );
  return `<div class="table"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

/** The same as Markdown. */
export function schemaMarkdown(schema: object): string {
  const rows = schemaRows(schema);
  if (rows.length === 0) return (schema as Shape).description ?? "Any JSON value.";
  return markdownTable(
    ["Field", "Type", "Meaning"],
    rows.map(({ path, isRequired, type, about }) => [`\`${path}\`${isRequired ? "" : " (optional)"}`, type, about]),
  );
}
