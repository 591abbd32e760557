import { expect, test } from "vitest";
import { read, trackedFiles } from "../support/repository.ts";

/** A client file for a game engine that the tests do not have, and how its language writes what is compared with the API. */
interface Client {
  readonly file: string;
  readonly page: string;
  /** The HTTP method of the call on a line that has a path. */
  readonly methods: readonly (readonly [RegExp, string])[];
  readonly sent: RegExp;
  readonly read: RegExp;
  /** Methods that the page calls, and how the file defines them. */
  readonly called: RegExp;
  readonly defines: (name: string) => RegExp;
}

const clients: readonly Client[] = [
  {
    file: "clients/godot/foyer.gd",
    page: "clients/godot/README.md",
    methods: [
      [/METHOD_GET/, "get"],
      [/METHOD_PUT/, "put"],
      [/_post\(|_take_seat\(/, "post"],
    ],
    sent: /[{,] ?"([a-z_]+)":/g,
    read: /\bdata\.(?!get\b|has\b)([a-z_]+)|\bdata\.get\("([a-z_]+)"/g,
    called: /\b(?:foyer\.|await )(?!stopped_by_foyer|foyer\b)([a-z_]+)\(/g,
    defines: (name) => new RegExp(`^func ${name}\\(|^static func ${name}\\(`, "m"),
  },
  {
    file: "clients/unity/Foyer.cs",
    page: "clients/unity/README.md",
    methods: [
      [/"GET"/, "get"],
      [/"PUT"/, "put"],
      [/"POST"|TakeSeat\(/, "post"],
    ],
    sent: /(?:\{ |, )\[(?:[^\]"]*\? )?"([a-z_]+)"(?: : "([a-z_]+)")?\] = |Parameter\("([a-z_]+)"/g,
    read: /(?:answer|Answer|refusal|\])\["([a-z_]+)"\]/g,
    called: /\b(?:lobby|matchmaker|seat|refusal)\.([A-Z]\w+)/g,
    defines: (name) => new RegExp(`^ +public [^=;{]*\\b${name}\\b`, "m"),
  },
];

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly [key: string]: unknown;
}

// The shape is that of an OpenAPI document.
const api = JSON.parse(read("openapi.json")) as {
  paths: Record<string, Record<string, { parameters?: { name: string }[]; requestBody?: unknown; responses: unknown }>>;
  components: { schemas: Record<string, Schema> };
};
const codes = new Set(api.components.schemas.Error!.properties!.code!.enum);
// What the clients themselves report.
for (const own of ["NO_ANSWER", "UNKNOWN", "NOT_CONFIGURED"]) codes.add(own);

/** All names of properties within a part of the document. */
function propertyNames(part: unknown, seen = new Set<unknown>()): string[] {
  if (typeof part !== "object" || part === null || seen.has(part)) return [];
  seen.add(part);
  const { $ref, properties } = part as Schema;
  const target = $ref && api.components.schemas[$ref.split("/").at(-1)!];
  return [
    ...Object.keys(properties ?? {}),
    ...propertyNames(target, seen),
    ...Object.values(part).flatMap((value) => propertyNames(value, seen)),
  ];
}

const matches = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.filter((group) => group !== undefined));

/** What a client's text says that the API does not know. */
function findUnknown(client: Client, text: string): string[] {
  const lines = text.split("\n").filter((line) => /"\/matchmaker/.test(line));
  const calls = lines.map((line) => {
    const [path] = matches(line, /"(\/matchmaker[\w/]*)/g);
    const method = client.methods.find(([pattern]) => pattern.test(line))?.[1] ?? "no method";
    return { name: `${method} ${path}`, operation: api.paths[path!]?.[method] };
  });
  const known = calls.flatMap(({ operation }) => (operation ? [operation] : []));
  const sendable = new Set(
    known.flatMap(({ parameters = [], requestBody }) => [
      ...parameters.map(({ name }) => name),
      ...propertyNames(requestBody),
    ]),
  );
  const readable = new Set(known.flatMap(({ responses }) => propertyNames(responses)));
  return [
    ...calls.filter(({ operation }) => !operation).map(({ name }) => name),
    ...matches(text, client.sent).filter((name) => !sendable.has(name) && !readable.has(name)),
    ...matches(text, client.read).filter((name) => !readable.has(name)),
    ...matches(text, /"((?:API|TOKEN|CLOUD|MATCHMAKER)_[A-Z_]+|[A-Z]+_[A-Z]+)"/g).filter(
      (name) => !codes.has(name) && !name.startsWith("FOYER_"),
    ),
  ];
}

test.each(clients)("[SK13] $file uses only paths, methods, fields and error codes of the API", (client) => {
  const text = read(client.file);
  expect(findUnknown(client, text)).toEqual([]);
  const paths = new Set(matches(text, /"(\/matchmaker[\w/]*)/g));
  const operations = ["find", "join", "create", "list", "ready", "heartbeat", "closed", "stop"];
  expect([...paths].sort()).toEqual(
    [
      ...operations.map((name) => `/matchmaker/lobbies/${name}`),
      ...["connected", "disconnected", "resume", "release"].map((name) => `/matchmaker/players/${name}`),
    ].sort(),
  );
  for (const pattern of [client.sent, client.read]) expect(matches(text, pattern).length).toBeGreaterThan(5);
});

test.each(clients)("[SK13] a wrong path, method, field or error code in $file is found", (client) => {
  const text = read(client.file);
  const wrong = (from: string, to: string) => findUnknown(client, text.replace(from, to));
  expect(text).toContain("is_closed_by_operator");
  expect(wrong("/lobbies/heartbeat", "/lobbies/heartbeats")).not.toEqual([]);
  expect(wrong('"PUT", "/matchmaker', '"POST", "/matchmaker').length + wrong("METHOD_PUT", "METHOD_GET").length).toBe(
    1,
  );
  expect(wrong('"game_modes"', '"modes"')).toEqual(["modes"]);
  expect(wrong("is_closed_by_operator", "is_shut")).toEqual(["is_shut"]);
  expect(wrong("MATCHMAKER_PLAYER_ALREADY_CONNECTED", "MATCHMAKER_PLAYER_CONNECTED")).toEqual([
    "MATCHMAKER_PLAYER_CONNECTED",
  ]);
});

test.each(clients)("[SK13] $file reads variables that lobbies get, and has at most 250 lines", ({ file }) => {
  const text = read(file);
  const runtime = trackedFiles
    .filter((name) => /^src\/(?:runtime|operations)\/.*\.ts$/.test(name))
    .map(read)
    .join();
  const variables = new Set(text.match(/\bFOYER_[A-Z_]+\b/g));
  expect(variables.size).toBeGreaterThan(2);
  expect([...variables].filter((name) => !runtime.includes(name))).toEqual([]);
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(250);
});

test.each(clients)("[SK13] $page calls methods that the file has, and both say that no test runs it", (client) => {
  const [text, page] = [read(client.file), read(client.page)];
  const called = new Set(matches(page, client.called));
  expect(called.size).toBeGreaterThan(5);
  const inherited = new Set(["Message", "receive", "admit"]);
  expect([...called].filter((name) => !inherited.has(name) && !client.defines(name).test(text))).toEqual([]);
  expect(text.slice(0, 600)).toMatch(/No test (?:has run|runs) this file/);
  expect(page).toMatch(/\*\*No test (?:has run|runs) this file/);
});
