import type { openApiDocument } from "./openapi.ts";

type Json = Record<string, unknown>;

/**
 * What games call (`/matchmaker`) as OpenAPI 3.0, for code generators that do not read 3.1. It is made from the same
 * document: null is `nullable` instead of a type, a constant is a list of one, and what 3.0 does not know is left out.
 */
export function openApi30Document(document: ReturnType<typeof openApiDocument>): Json {
  const { summary, license, ...info } = document.info;
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => path.startsWith("/matchmaker/")));
  const responses = referred("responses", paths, document.components.responses);
  const schemas = referred("schemas", { paths, responses }, document.components.schemas);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as { tags: string[] }[]);
  const tags = document.tags.filter(({ name }) => operations.some((operation) => operation.tags.includes(name)));
  return {
    openapi: "3.0.3",
    info: { ...info, description: `${summary} ${info.description}`, license: { name: license.name } },
    servers: document.servers,
    tags,
    paths: convert(paths),
    components: {
      securitySchemes: document.components.securitySchemes,
      responses: convert(responses),
      schemas: convert(schemas),
    },
  };
}

/** The components of a kind that a part of the document refers to, itself or through one another. */
function referred(kind: string, part: object, components: Record<string, object>): Record<string, object> {
  const names = new Set<string>();
  const reference = new RegExp(`"#/components/${kind}/([\\w.]+)"`, "g");
  function follow(inner: object): void {
    for (const [, name = ""] of JSON.stringify(inner).matchAll(reference)) {
      if (names.has(name)) continue;
      names.add(name);
      follow(components[name]!);
    }
  }
  follow(part);
  return Object.fromEntries(Object.entries(components).filter(([name]) => names.has(name)));
}

/** Every object of the document, the inner ones first. Names of fields look like keywords to it only if they hold lists. */
function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== "object" || value === null) return value;
  const { propertyNames, const: constant, ...rest } = value as Json;
  const json = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, convert(inner)]));
  if (constant !== undefined) json.enum = [constant];
  return withNullable(json);
}

function withNullable(json: Json): Json {
  const { type, anyOf, enum: values, ...rest } = json;
  if (Array.isArray(type) && type.includes("null")) {
    const listed = Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {};
    return { ...rest, ...listed, type: type.find((name) => name !== "null"), nullable: true };
  }
  if (Array.isArray(anyOf) && anyOf.some(isNull)) {
    return { ...rest, allOf: anyOf.filter((schema) => !isNull(schema)), nullable: true };
  }
  return json;
}

function isNull(schema: unknown): boolean {
  return (schema as { type?: unknown }).type === "null";
}
