import type { Chance } from "./chance.ts";
import type { Operation } from "./document.ts";
import { oddTexts, oddValue, spoilText, withOneFault, writeJson } from "./odd.ts";
import { type Known, validValue } from "./values.ts";
import { buildArchive, domainOf, gameModes, recent, regions, type Seat, versionDocument, type World } from "./world.ts";

export interface FuzzRequest {
  readonly index: number;
  readonly operation: Operation;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  readonly token: string | null;
  /** Whether its path may be one that no operation has. */
  readonly isPathOdd: boolean;
}

/** Tokens that are of no use anywhere, made once for all sequences. */
export interface SpentTokens {
  readonly expired: string;
  readonly revoked: string;
}

/** The next request of a sequence. What it names depends on the seed and on the answers to the requests before it. */
export function nextRequest(
  index: number,
  operations: readonly Operation[],
  world: World,
  spent: SpentTokens,
  chance: Chance,
): FuzzRequest {
  const operation = chance.pick(operations);
  // Most requests have at most one thing wrong with them: otherwise the first check would hide the others.
  const wrong = chance.percent(45)
    ? "nothing"
    : chance.pick(["path", "query", "token", "body", "body", "headers", "method"]);
  const path = makePath(operation, world, chance, wrong === "path");
  const query = makeQuery(operation, world, chance, wrong === "query");
  const seat = world.seats.length > 0 ? chance.pick(world.seats) : null;
  const token = makeToken(operation, world, spent, chance, { isWrong: wrong === "token", seat });
  const body = makeBody(operation, world, chance, { isWrong: wrong === "body", seat });
  const headers = makeHeaders(operation, world, chance, { wrong: wrong === "headers", token, body });
  const method =
    wrong === "method" ? chance.pick(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]) : operation.method;
  return {
    index,
    operation,
    method,
    target: path.text + query,
    headers,
    body,
    token,
    isPathOdd: path.isOdd,
  };
}

const rawSegments = [
  "%",
  "%zz",
  "%00",
  "a%2Fb",
  "%2e%2e",
  "..",
  ".",
  "%c0%80",
  "",
  "a;b",
  "*",
  "%F0%9F%98%80",
  "a+b",
  "a".repeat(3000),
];

function makePath(operation: Operation, world: World, chance: Chance, isWrong: boolean) {
  const wrongAt = isWrong && operation.params.length > 0 ? chance.pick(operation.params) : null;
  let isOdd = false;
  const text = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name !== wrongAt) return percentEncoded(pathValue(operation, name, world, chance));
    const kind = chance.below(4);
    if (kind === 0) return randomId(chance);
    if (kind === 1 && name === "game_id") return recent(world, "other_game", chance) ?? "x";
    isOdd = true;
    return kind === 2 ? chance.pick(rawSegments) : percentEncoded(chance.pick(oddTexts));
  });
  if (wrongAt !== null || !isWrong) return { text, isOdd };
  isOdd = true;
  return { text: chance.pick([`${text}/`, `/${text}`, text.toUpperCase(), `${text}/x`, text.slice(0, -1)]), isOdd };
}

/** The chance's own id, so that the sequence stays the same. */
function randomId(chance: Chance): string {
  const digits = Array.from({ length: 32 }, () => chance.below(16).toString(16)).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function percentEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, "0").toUpperCase()}`,
    )
    .join("");
}

function pathValue(operation: Operation, name: string, world: World, chance: Chance): string {
  const all = world.known.get(name) ?? [];
  if (name === "domain") return chance.pick([domainOf(world.sequence), `x${world.sequence}.example.com`]);
  const isRemoved = operation.method === "DELETE" && operation.path.endsWith(`{${name}}`);
  if (isRemoved) {
    const spare = all.filter((id) => !world.kept.has(id));
    return spare.length > 0 && chance.percent(98)
      ? chance.pick(spare)
      : chance.percent(90)
        ? randomId(chance)
        : (all[0] ?? "x");
  }
  if (name === "game_id" && chance.percent(10)) return world.known.get("game_name")?.[0] ?? "x";
  if (name === "game_id" || name === "namespace_id") {
    const id = all.length === 0 || chance.percent(95) ? all[0] : chance.pick(all);
    return chance.percent(10) ? (id ?? "x").toUpperCase() : (id ?? "x");
  }
  return recent(world, name, chance) ?? randomId(chance);
}

function makeQuery(operation: Operation, world: World, chance: Chance, isWrong: boolean): string {
  const pairs: string[] = [];
  for (const { name, schema } of operation.query) {
    if (!chance.percent(name === "force" || name === "client" ? 90 : 25)) continue;
    const value = validValue(schema, chance, knownFor(operation, world, chance), name);
    pairs.push(`${name}=${percentEncoded(String(value))}`);
  }
  if (isWrong) {
    const names = operation.query.map(({ name }) => name);
    const name = names.length > 0 ? chance.pick(names) : "limit";
    pairs.push(
      chance.pick([
        `${name}=${percentEncoded(chance.pick(oddTexts))}`,
        `${name}=${percentEncoded(String(oddValue(chance)))}`,
        `${name}=1&${name}=2`,
        `${name}[]=1`,
        `${name}`,
        `${name}=%zz`,
        "__proto__=1",
        "=&&=",
        "%00=%00",
        `${percentEncoded(chance.pick(oddTexts))}=1`,
      ]),
    );
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function makeToken(
  operation: Operation,
  world: World,
  spent: SpentTokens,
  chance: Chance,
  { isWrong, seat }: Choice,
): string | null {
  if (isWrong) {
    const some = world.tokens.get(chance.pick([...world.tokens.keys()])) ?? [];
    const real = some[0] ?? "x";
    return chance.pick([
      null,
      spent.expired,
      spent.revoked,
      recent(world, "foreign_token", chance) ?? null,
      real,
      real,
      real.slice(0, -1),
      `${real}A`,
      "garbage",
      `lobby_${"A".repeat(96)}`,
      `player_${"A".repeat(43)}`,
      "a".repeat(600),
      "admin_\u00e9",
      "",
    ]);
  }
  // Only the lobby of a player may report it.
  const isReport = /^players\.(?:connected|disconnected)$/.test(operation.id);
  if (isReport && seat?.lobbyToken && chance.percent(80)) return seat.lobbyToken;
  const kinds = operation.callers.filter((kind) => world.tokens.has(kind) || kind === "origin" || kind === "none");
  // Mock answers prove less than real ones.
  const real = kinds.filter((kind) => kind !== "dev");
  if (kinds.length === 0) return null;
  const kind = chance.pick(real.length > 0 && chance.percent(85) ? real : kinds);
  if (kind === "origin" || kind === "none") return null;
  const tokens = world.tokens.get(kind)!;
  // A lobby may have stopped since; the latest one most likely runs.
  return kind === "lobby" || kind === "session"
    ? chance.pick(tokens.slice(-3))
    : chance.percent(95)
      ? tokens[0]!
      : chance.pick(tokens);
}

interface Choice {
  readonly isWrong: boolean;
  /** The seat that a request about players is about. */
  readonly seat: Seat | null;
}

function makeBody(operation: Operation, world: World, chance: Chance, { isWrong, seat }: Choice): Buffer | null {
  if (operation.isRaw) return rawBody(chance, isWrong);
  if (operation.body === null) {
    if (isWrong) return Buffer.from(chance.pick(["{}", "null", '{"a":1}', "[]", "x", "  "]));
    return chance.percent(10) ? Buffer.from("{}") : null;
  }
  if (!operation.body.isRequired && !isWrong && chance.percent(20)) return null;
  const likely = chance.percent(60) ? likelyBody(operation.id, world, chance, seat) : undefined;
  const value = likely ?? validValue(operation.body.schema, chance, knownFor(operation, world, chance), "");
  if (!isWrong) return Buffer.from(writeJson(value));
  const kind = chance.below(10);
  if (kind === 0) return null;
  if (kind === 1) return Buffer.from(writeJson(oddValue(chance)));
  if (kind < 5) return spoilText(writeJson(value), chance);
  return Buffer.from(writeJson(withOneFault(value, chance)));
}

/** Bodies that fit the state of the game. The schema alone does not say which fields go together. */
function likelyBody(id: string, world: World, chance: Chance, seat: Seat | null): unknown {
  const player_token = seat?.playerToken ?? "player_none";
  const ports = { default: { hostname: "127.0.0.1", port: 7777, is_tls: false } };
  const makers: Record<string, () => unknown> = {
    "lobbies.find": () => ({ game_modes: chance.pick([["duel"], ["duel"], ["match"], ["solo", "duel"]]) }),
    "lobbies.join": () =>
      chance.pick([{ lobby_id: recent(world, "lobby_id", chance) }, { code: recent(world, "code", chance) }]),
    "lobbies.create": () => ({ game_mode: "match", region: "local" }),
    "lobbies.register": () => ({ game_mode: "duel", region: "local", ports }),
    "players.connected": () => ({ player_token }),
    "players.disconnected": () => ({ player_token, may_return: chance.percent(80) }),
    "players.resume": () => ({ player_token }),
    "players.release": () => ({ player_token }),
  };
  return Object.hasOwn(makers, id) ? makers[id]!() : undefined;
}

function rawBody(chance: Chance, isWrong: boolean): Buffer | null {
  if (!isWrong) return buildArchive;
  const spoilt = Buffer.from(buildArchive);
  spoilt[chance.below(spoilt.length)]! ^= 1 + chance.below(255);
  return chance.pick([
    null,
    Buffer.alloc(0),
    spoilt,
    spoilt,
    buildArchive.subarray(0, chance.below(buildArchive.length)),
    Buffer.from("{}"),
  ]);
}

function makeHeaders(
  operation: Operation,
  world: World,
  chance: Chance,
  made: { readonly wrong: boolean; readonly token: string | null; readonly body: Buffer | null },
): [string, string][] {
  const headers: [string, string][] = [["host", "localhost"]];
  const { token, body } = made;
  if (token !== null) headers.push(["authorization", `Bearer ${token}`]);
  if (body !== null) headers.push(["content-type", operation.isRaw ? "application/gzip" : "application/json"]);
  if (token === null && operation.callers.includes("origin") && chance.percent(80)) {
    headers.push(["origin", `https://${domainOf(world.sequence)}`]);
  }
  if (chance.percent(30)) headers.push(["x-forwarded-for", `198.51.100.${1 + chance.below(3)}`]);
  if (/^lobbies\.(?:find|join|create)$/.test(operation.id) && chance.percent(40)) {
    headers.push(["idempotency-key", `key-${chance.below(6)}`]);
  }
  if (operation.id === "games.namespaces.lobbies.history" && chance.percent(50)) headers.push(["accept", "text/csv"]);
  if (made.wrong) headers.push(...chance.pick(oddHeaders(chance)));
  return headers;
}

function oddHeaders(chance: Chance): [string, string][][] {
  const text = chance.pick(oddTexts).replace(/[\r\n\0]/g, "");
  return [
    [["content-type", "text/plain"]],
    [
      ["content-type", "application/json"],
      ["content-type", "application/json"],
    ],
    [["idempotency-key", text]],
    [
      ["idempotency-key", "a"],
      ["idempotency-key", "b"],
    ],
    [["idempotency-key", "k".repeat(129)]],
    [["x-forwarded-for", text]],
    [["x-forwarded-for", "2001:db8::1, 10.0.0.1,,unknown, 203.0.113.9"]],
    [
      ["x-forwarded-for", "203.0.113.9"],
      ["forwarded", "for=192.0.2.1;proto=https"],
    ],
    [["origin", text]],
    [["origin", "null"]],
    [["authorization", "Basic eDp5"]],
    [["accept", text]],
    [["accept-encoding", "gzip, br, identity;q=0"]],
    [["content-encoding", "gzip"]],
    [["last-event-id", text]],
    [["last-event-id", "99999999999999999999"]],
    [["x-request-id", "mine"]],
    [
      ["if-none-match", "*"],
      ["range", "bytes=0-1"],
    ],
    [
      ["cookie", "a=b"],
      ["referer", "http://x/"],
    ],
    [["x-long", "a".repeat(chance.pick([4000, 17_000]))]],
    Array.from({ length: 260 }, (_, i): [string, string] => [`x-${i}`, "1"]),
    [["expect", "100-continue-not"]],
    [["host", "evil.example"]],
  ];
}

/** What a field of this name should be for the operation to have a chance. */
function knownFor(operation: Operation, world: World, chance: Chance): Known {
  const { id } = operation;
  const makers: Record<string, () => unknown> = {
    "game_modes[]": () => chance.pick(gameModes),
    game_mode: () => (id === "lobbies.create" ? "match" : chance.pick([...gameModes, "duel", "duel"])),
    "regions[]": () => chance.pick(regions),
    region: () => chance.pick(["local", "local", "far"]),
    party_size: () => chance.pick([null, null, 1, 2]),
    players: () => (chance.percent(70) ? null : [{ key: `p-${chance.below(500)}` }]),
    key: () => `p-${chance.below(500)}`,
    max_players: () =>
      id.startsWith("games.namespaces.") && !id.endsWith("previewFind") ? 100 : chance.pick([null, null, 4]),
    lobby_count_max: () => 1000,
    max_players_per_client: () => null,
    version: () => null,
    tags: () => (chance.percent(80) ? null : { map: "harbour" }),
    display_name: () => "A Name",
    name_id: () => `n-${world.sequence}-${chance.below(100_000)}`,
    config: () => (chance.percent(50) ? versionDocument(1) : undefined),
    domain: () => `${chance.pick(["x", "y", "z"])}${world.sequence}.example.com`,
    player_token: () => chance.pick([...(world.tokens.get("player") ?? ["player_none"])].slice(-3)),
    "player_ids[]": () => recent(world, "player_id", chance),
    code: () => recent(world, id === "auth.signIn" ? "sign_in_code" : "code", chance),
    client: () => (id.includes(".blocks.") ? `192.0.2.${chance.below(9)}` : undefined),
    expected_version_id: () => (chance.percent(80) ? null : recent(world, "version_id", chance)),
    until_ts: () => null,
    operation: () => "games.createGame",
    cursor: () => recent(world, "cursor", chance),
    version_id: () => world.known.get("version_id")?.[0],
    sha256: () => (id === "games.builds.createBuild" ? undefined : recent(world, "sha256", chance)),
  };
  return (name) => {
    if (Object.hasOwn(makers, name)) return makers[name]!();
    return name.endsWith("_id") ? recent(world, name, chance) : undefined;
  };
}

/** The request as it goes over the wire. */
export function writeRequest(request: FuzzRequest): Buffer {
  const lines = [`${request.method} ${request.target} HTTP/1.1`];
  for (const [name, value] of request.headers) lines.push(`${name}: ${value}`);
  if (request.body !== null) lines.push(`content-length: ${request.body.length}`);
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "utf8");
  return request.body === null ? head : Buffer.concat([head, request.body]);
}

/** The request for people: no token, and no more of its body than helps. */
export function showRequest(request: FuzzRequest): string {
  const hidden = (text: string) => text.replace(/\b([a-z]+_)[\w-]{20,}/g, "$1…");
  const headers = request.headers.slice(0, 20).map(([name, value]) => `${name}: ${hidden(value).slice(0, 200)}`);
  const body =
    request.body === null ? "(no body)" : hidden(JSON.stringify(request.body.toString("utf8")).slice(0, 2000));
  return [`${request.method} ${hidden(request.target)}`, ...headers, "", body].map((line) => `  ${line}`).join("\n");
}
