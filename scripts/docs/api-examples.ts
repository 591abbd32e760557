import type { Operation } from "../../src/contract/define.ts";
import type { Shape } from "./schema-rows.ts";

/** An example of a call: what a caller sends, and what Foyer answers. */
export interface Example {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  /** undefined: no body is sent. */
  readonly body: unknown;
  /** undefined: the answer is empty, or a stream. */
  readonly answer: unknown;
}

const ids: Readonly<Record<string, string>> = {
  game_id: "0199c1f4-6d01-7c3e-9a54-2f1b7c60d001",
  namespace_id: "0199c1f4-6d02-7c3e-9a54-2f1b7c60d002",
  version_id: "0199c1f4-6d03-7c3e-9a54-2f1b7c60d003",
  lobby_id: "0199c1f4-6d04-7c3e-9a54-2f1b7c60d004",
  player_id: "0199c1f4-6d05-7c3e-9a54-2f1b7c60d005",
  token_id: "0199c1f4-6d06-7c3e-9a54-2f1b7c60d006",
  build_id: "0199c1f4-6d07-7c3e-9a54-2f1b7c60d007",
};
const anyId = "0199c1f4-6d0f-7c3e-9a54-2f1b7c60d00f";

/** Values that make sense for fields of these names; a value that a schema does not allow fails a test. */
const values: Readonly<Record<string, unknown>> = {
  ...{ display_name: "My Game", name_id: "my-game", domain: "play.example.com", domains: [], note: "fills lobbies" },
  ...{ game_mode: "duel", game_mode_id: "duel", game_modes: ["duel"], region: "local", region_id: "local" },
  ...{ regions: ["local"], region_display_name: "Local", provider_display_name: "", protocol: "ws", path: ["name_id"] },
  ...{ hostname: "127.0.0.1", host: "127.0.0.1:27000", port: 27000, is_tls: false, url: "ws://127.0.0.1:27000" },
  ...{ client: "203.0.113.7", address: "203.0.113.7", key: "account-17", player_key: "account-17" },
  ...{ token: "…", player_token: "…", cursor: "eyJhZnRlciI6…", code: "KPR-7QX", sha256: "9f86d081884c7d65…" },
  ...{ lobby_count_max: 500, max_players: 16, max_players_per_client: 64, max_players_normal: 16 },
  ...{ max_players_direct: 16, max_players_party: 16, total_player_count: 1, connected_count: 1, player_count: 1 },
  ...{ reserved_count: 0, held_count: 0, consecutive_failures: 0, heartbeat_s: 30, reconnect_s: 60, size: 48_213 },
  ...{ text: "listening on port 27000\n", message: "Done.", request_id: "req-1", reason: "stop_called", state: null },
  ...{ operation: "games.createGame", outcome: "MATCHMAKER_LOBBY_COUNT_MAX", status: "ready", ping_url: "" },
  ...{ is_closed: true, enabled: true, allow_localhost: false, tags: { map: "harbour" }, lobby_config: null },
  ...{ summary: "The player gets a seat in this lobby.", node_id: "node-1", kind: "admin", latitude: 50.1 },
  ...{ longitude: 8.7, kilometers: 0, miles: 0, window_s: 3600, step_s: 60, limit: 100, stream: "stdout" },
  ...{ version: "1.0", seats: 1, waited_ms: 4, count: 1, event: "lobby.ready", target: "my-game", party_size: 1 },
};

const duel = { max_players: 2, runtime: { process: { command: "node", args: ["server.js"] } } };

/** Requests whose schema alone gives no useful example. */
const bodies: Readonly<Record<string, unknown>> = {
  "games.namespaces.createGameNamespace": { display_name: "Production", name_id: "prod" },
  "games.namespaces.validateGameNamespace": { display_name: "Production", name_id: "prod" },
  "games.namespaces.updateGameNamespaceMatchmakerConfig": { lobby_count_max: 500, max_players: 16 },
  "games.namespaces.validateGameNamespaceMatchmakerConfig": { lobby_count_max: 500, max_players: 16 },
  "games.namespaces.createGameNamespaceTokenDevelopment": {
    hostname: "127.0.0.1",
    ports: { default: { protocol: "ws", port: 8080 } },
  },
  "games.namespaces.lobbies.previewFind": { game_modes: ["duel"] },
  "games.namespaces.blocks.set": { client: "203.0.113.7", note: "fills lobbies", end_seats: true },
  "games.versions.createGameVersion": {
    display_name: "1.0",
    config: { regions: { local: {} }, game_modes: { duel } },
  },
  "games.versions.validateGameVersion": {
    display_name: "1.0",
    config: { regions: { local: {} }, game_modes: { duel } },
  },
  "auth.signIn": { code: "…" },
  "lobbies.find": { game_modes: ["duel"], regions: ["local"] },
  "lobbies.join": { lobby_id: ids.lobby_id },
  "lobbies.create": { game_mode: "duel", publicity: "private" },
  "lobbies.setState": { round: 3, map: "harbour" },
  "lobbies.heartbeat": { player_ids: [ids.player_id] },
  "lobbies.register": {
    game_mode: "duel",
    region: "local",
    ports: { default: { hostname: "127.0.0.1", port: 27000, is_tls: false } },
  },
  "players.resume": { player_token: "player_…" },
  "players.release": { player_token: "player_…" },
};

const queries: Readonly<Record<string, Example["query"]>> = {
  "games.builds.createBuild": { display_name: "1.0" },
  "games.namespaces.blocks.remove": { client: "203.0.113.7" },
  "games.namespaces.lobbies.getLogs": { stream: "stderr" },
};

export function exampleOf(id: string, operation: Operation): Example {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const body =
    bodies[id] ?? (operation.body && !operation.bodyOptional ? exampleOfSchema(operation.body, "") : undefined);
  const reply = operation.reply === null ? undefined : exampleOfSchema(operation.reply, "", answerFields);
  return {
    params: Object.fromEntries(names.map((name) => [name, pathValues[name] ?? ids[name] ?? anyId])),
    query: queries[id] ?? {},
    body,
    answer: reply,
  };
}

const pathValues: Readonly<Record<string, string>> = {
  game_id: "my-game",
  namespace_id: "prod",
  domain: "play.example.com",
};

/** A request shows what it must have, an answer what it always has. */
const answerFields = (shape: Shape) => shape.required ?? [];

/** A value that the schema allows. */
function exampleOfSchema(schema: object, name: string, fieldsOf = answerFields): unknown {
  const shape = schema as Shape;
  if (shape.const !== undefined) return shape.const;
  if (shape.anyOf) return exampleOfSchema(shape.anyOf[0]!, name, fieldsOf);
  const types = [shape.type ?? []].flat();
  const given = Object.hasOwn(values, name) ? values[name] : undefined;
  if (given !== undefined && allows(shape, types, given)) return given;
  if (shape.enum) return shape.enum[0];
  if (types[0] === "object") return objectExample(shape, name, fieldsOf);
  if (types[0] === "array") return shape.items ? [exampleOfSchema(shape.items, singular(name), fieldsOf)] : [];
  if (types[0] === "string") return textExample(shape, name, types);
  if (types[0] === "integer" || types[0] === "number") return Math.max(shape.minimum ?? 0, 0);
  return types[0] === "boolean" ? false : null;
}

function objectExample(shape: Shape, name: string, fieldsOf: typeof answerFields): unknown {
  const value = shape.additionalProperties;
  if (!shape.properties) {
    if (typeof value !== "object") return {};
    return { [name === "ports" ? "default" : "duel"]: exampleOfSchema(value, singular(name), fieldsOf) };
  }
  const wanted = fieldsOf(shape);
  const fields = Object.entries(shape.properties).filter(([field]) => wanted.includes(field));
  return Object.fromEntries(fields.map(([field, inner]) => [field, exampleOfSchema(inner, field, fieldsOf)]));
}

function textExample(shape: Shape, name: string, types: readonly string[]): unknown {
  if (shape.format === "date-time") return "2026-03-01T12:00:00.000Z";
  if (shape.pattern?.includes("[0-9a-fA-F]{8}-")) return ids[name] ?? ids[`${name}_id`] ?? anyId;
  return types.includes("null") ? null : "…";
}

function allows(shape: Shape, types: readonly string[], value: unknown): boolean {
  if (shape.enum) return shape.enum.includes(value);
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const isNumber = type === "number" && (types.includes("number") || types.includes("integer"));
  const fits = types.length === 0 || types.includes(type) || isNumber;
  if (!fits || shape.pattern?.includes("{8}-") || shape.format === "date-time") return false;
  if (type === "array") return shape.items?.properties === undefined;
  return type !== "object" || (!shape.properties && typeof shape.additionalProperties === "object");
}

const singular = (name: string) => name.replace(/ies$/, "y").replace(/s$/, "");
