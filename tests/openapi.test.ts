import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { operationIds, operations } from "../src/contract/index.ts";
import { openApiDocument } from "../src/contract/openapi.ts";
import { openApi30Document } from "../src/contract/openapi-3.0.ts";
import { versionConfig } from "../src/contract/version-config.ts";
import type { StopReason } from "../src/matchmaker/commands.ts";
import type { Schema } from "../src/operations/cloud/schema-issues.ts";

interface Described {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { required: boolean; content: Record<string, { schema: BodySchema }> };
  responses: Record<string, { content?: Record<string, { schema: BodySchema }> }>;
}

interface BodySchema {
  $ref?: string;
  type: string;
  required?: string[];
  properties: Record<string, BodySchema>;
  items?: BodySchema;
  minimum?: number;
  maximum?: number;
}

const file = fileURLToPath(new URL("../openapi.json", import.meta.url));
// The document goes through its text, as every reader of it gets it.
const text = `${JSON.stringify(openApiDocument(null), null, 2)}\n`;
const document = JSON.parse(text) as Document;
const document30 = JSON.parse(JSON.stringify(openApi30Document(openApiDocument(null)))) as Document;

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, BodySchema>; responses: Record<string, object> };
}

/** The schema itself, where the document refers to it by its name. */
function resolve(schema: BodySchema | undefined): BodySchema | undefined {
  const name = schema?.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : document.components.schemas[name];
}

test("[T39] openapi.json matches the contract; `node scripts/write-openapi.mjs` regenerates it", () => {
  expect(readFileSync(file, "utf8") === text).toBe(true);
});

test("[T39] every reason for which a lobby stops is in the reference and in the page about running lobbies", () => {
  const reasons = Object.keys({
    self: true,
    operator: true,
    crashed: true,
    start_failed: true,
    namespace_removed: true,
    node_lost: true,
    not_ready: true,
    empty: true,
    outdated: true,
    silent: true,
  } satisfies Record<StopReason, true>);
  const described = [...text.matchAll(/"stop_reason": \{[^}]*"description": "([^"]*)"/g)].map(
    ([, words]) => words ?? "",
  );
  expect(described.length).toBeGreaterThanOrEqual(3);
  for (const words of described) expect(words.match(/[a-z]+_[a-z]+|\w+/g)).toEqual(expect.arrayContaining(reasons));
  const page = readFileSync(fileURLToPath(new URL("../docs/running-lobbies.md", import.meta.url)), "utf8");
  expect(reasons.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
});

test("[T39] it is valid OpenAPI 3.1", async () => {
  const result = await new Validator().validate(JSON.parse(text));
  expect(result).toEqual({ valid: true });
});

describe.each([
  ["openapi.json", document],
  ["openapi-3.0.json", document30],
])("%s, for code generators", (_name, { paths, components }) => {
  test("[OA1] every object of more than three fields has a name, and every reference leads to one", () => {
    const anonymous: string[] = [];
    const lost: string[] = [];
    function look(value: unknown, path: string): void {
      if (typeof value !== "object" || value === null) return;
      const { properties, $ref } = value as Partial<BodySchema>;
      const isNamed = /^\/components\/schemas\/\w+$/.test(path);
      if (properties && typeof properties === "object" && !isNamed && Object.keys(properties).length > 3) {
        anonymous.push(path);
      }
      const [, kind, target] = $ref?.split(/^#\/components\/(schemas|responses)\//) ?? [];
      if ($ref && !components[kind as "schemas" | "responses"]?.[target!]) lost.push($ref);
      for (const [name, inner] of Object.entries(value)) look(inner, `${path}/${name}`);
    }
    look({ paths, components }, "");
    expect({ anonymous, lost }).toEqual({ anonymous: [], lost: [] });
  });

  test("[OA1] the names that guides use are there", () => {
    const names = ["FindRequest", "FindDryRunAnswer", "JoinRequest", "JoinAnswer", "Lobby", "Region", "Error"];
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(names));
  });
});

test("[OA2] openapi-3.0.json is valid OpenAPI 3.0 with every operation of /matchmaker and nothing of 3.1", async () => {
  expect(await new Validator().validate(JSON.parse(JSON.stringify(document30)))).toEqual({ valid: true });
  expect(document30.openapi).toBe("3.0.3");
  const games = Object.keys(document.paths).filter((path) => path.startsWith("/matchmaker/"));
  expect(Object.keys(document30.paths)).toEqual(games);
  const newer: string[] = [];
  JSON.stringify(document30, function (this: object, key, value) {
    if (key === "type" && Array.isArray(value)) newer.push(`type ${value}`);
    if (["const", "propertyNames", "examples", "patternProperties"].includes(key)) newer.push(key);
    if (value === "null") newer.push(`${key}: null`);
    return value;
  });
  expect(newer).toEqual([]);
  expect(document30.components.schemas.FindRequest?.properties.regions).toMatchObject({
    type: "array",
    nullable: true,
  });
});

test("[OA3] streams, CSV and dry runs say what a typed client gets", () => {
  const events = document.paths["/cloud/games/{game_id}/namespaces/{namespace_id}/events"]?.get?.responses["200"];
  const schema = events?.content?.["text/event-stream"]?.schema as unknown as {
    oneOf: { $ref: string }[];
    discriminator: { propertyName: string; mapping: Record<string, string> };
  };
  expect(schema.discriminator.propertyName).toBe("event");
  expect(Object.values(schema.discriminator.mapping).sort()).toEqual(schema.oneOf.map(({ $ref }) => $ref).sort());
  expect(schema.discriminator.mapping["lobby.created"]).toBe("#/components/schemas/LobbyCreatedEvent");
  const history = document.paths["/cloud/games/{game_id}/namespaces/{namespace_id}/lobby-history"]?.get;
  const csv = history?.responses["200"]?.content?.["text/csv"]?.schema as unknown as { description: string };
  expect(csv.description).toContain("Columns: lobby_id, game_mode_id,");
  const found = document.paths["/matchmaker/lobbies/find"]?.post?.responses["200"]?.content?.["application/json"];
  expect(found?.schema).toEqual({
    anyOf: [{ $ref: "#/components/schemas/JoinAnswer" }, { $ref: "#/components/schemas/FindDryRunAnswer" }],
  });
});

test("[T39] it has exactly the operations of the table, each where the table has it", () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
  );
  const declared = operationIds.map((id) => [id, operations[id].method, operations[id].path]);
  expect(described.sort()).toEqual(declared.sort());
});

test("[T1] bodies are JSON, and every field and parameter has a snake_case name", () => {
  const fields: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === "properties") fields.push(...Object.keys(value));
    return value;
  });
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const names = described.flatMap(({ parameters }) => parameters.filter((each) => each.in !== "header"));
  expect(fields.length).toBeGreaterThan(100);
  for (const name of [...fields, ...names.map((each) => each.name)])
    expect(name).toMatch(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/);
  for (const { requestBody, operationId } of described) {
    // A build is bytes.
    const type = operationId === "games.builds.createBuild" ? "application/gzip" : "application/json";
    if (requestBody) expect(Object.keys(requestBody.content)).toEqual([type]);
  }
});

test("[T61] no schema names its fields by a pattern, which a name with a line break may not match", () => {
  const keys = new Set<string>();
  JSON.stringify(document, (key, value) => {
    keys.add(key);
    return value;
  });
  expect([...keys].filter((key) => /^patternProperties$/i.test(key))).toEqual([]);
});

test("[T21] bodies and queries use only schema keywords that the search for issues understands", () => {
  const understood: Record<keyof Schema, true> = {
    type: true,
    enum: true,
    const: true,
    anyOf: true,
    minimum: true,
    maximum: true,
    minLength: true,
    maxLength: true,
    pattern: true,
    format: true,
    minItems: true,
    maxItems: true,
    items: true,
    minProperties: true,
    maxProperties: true,
    required: true,
    propertyNames: true,
    properties: true,
    additionalProperties: true,
  };
  const known = new Set([...Object.keys(understood), "description", "default"]);
  const unknown = new Set<string>();
  function look(schema: unknown): void {
    if (typeof schema !== "object" || schema === null) return;
    for (const [keyword, value] of Object.entries(schema)) {
      if (!known.has(keyword)) unknown.add(keyword);
      else if (keyword === "properties") Object.values(value).forEach(look);
      else if (keyword === "anyOf") value.forEach(look);
      else if (["items", "propertyNames", "additionalProperties"].includes(keyword)) look(value);
    }
  }
  for (const id of operationIds) [operations[id].body, operations[id].query].forEach(look);
  look(versionConfig);
  expect([...unknown]).toEqual([]);
});

test("every name between braces is a required parameter of the path", () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(methods)) {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => name)).toEqual(names);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  }
});

describe("the operations that the service was asked for", () => {
  const uint32 = { type: "integer", minimum: 0, maximum: 4294967295 };
  const asked = [
    {
      id: "games.namespaces.validateGameNamespace",
      method: "post",
      path: "/cloud/games/{game_id}/namespaces/validate",
      fields: { display_name: { type: "string" }, name_id: { type: "string" } },
      success: "200",
    },
    {
      id: "games.namespaces.updateGameNamespaceMatchmakerConfig",
      method: "post",
      path: "/cloud/games/{game_id}/namespaces/{namespace_id}/mm-config",
      fields: { lobby_count_max: uint32, max_players: uint32 },
      success: "204",
    },
    {
      id: "games.namespaces.addNamespaceDomain",
      method: "post",
      path: "/cloud/games/{game_id}/namespaces/{namespace_id}/domains",
      fields: { domain: { type: "string" } },
      success: "204",
    },
    {
      id: "lobbies.setClosed",
      method: "put",
      path: "/matchmaker/lobbies/closed",
      fields: { is_closed: { type: "boolean" } },
      success: "204",
    },
  ];

  test.each(asked)("$id has its method, path and required fields", ({ id, method, path, fields, success }) => {
    const described = document.paths[path]?.[method];
    expect(described?.operationId).toBe(id);
    expect(described?.requestBody?.required).toBe(true);
    const schema = resolve(described?.requestBody?.content["application/json"]?.schema);
    expect(schema?.required?.sort()).toEqual(Object.keys(fields).sort());
    expect(schema?.properties).toMatchObject(fields);
    const successes = Object.keys(described?.responses ?? {}).filter((status) => status.startsWith("2"));
    expect(successes).toEqual([success]);
    if (success === "204") expect(described?.responses["204"]?.content).toBeUndefined();
  });

  test("validateGameNamespace answers errors, each with a path of strings", () => {
    const described = document.paths["/cloud/games/{game_id}/namespaces/validate"]?.post;
    const schema = resolve(described?.responses["200"]?.content?.["application/json"]?.schema);
    expect(schema).toMatchObject({
      type: "object",
      required: ["errors"],
      properties: {
        errors: {
          type: "array",
          items: {
            required: expect.arrayContaining(["path"]),
            properties: { path: { type: "array", items: { type: "string" } } },
          },
        },
      },
    });
  });
});
