import { archive } from "../support/tar.ts";
import type { Chance } from "./chance.ts";
import type { Operation } from "./document.ts";

/** What the requests of one sequence can name: a game that is played, and what the answers have said so far. */
export interface World {
  readonly sequence: number;
  /** By the name of a path parameter or field: values that the service gave out. The latest come last. */
  readonly known: ReadonlyMap<string, readonly string[]>;
  /** By kind: tokens that the service gave out, those of the set-up first. */
  readonly tokens: ReadonlyMap<string, readonly string[]>;
  /** Ids of the set-up, which requests that remove things leave alone for the most part. */
  readonly kept: Set<string>;
  /** Seats that were given out, with the token of their lobby if it is known. */
  readonly seats: readonly Seat[];
  note(name: string, value: string): void;
  /** Takes ids and tokens out of an answer. */
  learn(operation: Operation, answer: unknown): void;
}

export interface Seat {
  readonly playerToken: string;
  readonly lobbyToken: string | null;
}

/** How many values of one name are remembered. */
const rememberedMax = 12;
const learnt = new Set([
  "game_id",
  "namespace_id",
  "version_id",
  "lobby_id",
  "player_id",
  "token_id",
  "build_id",
  "sha256",
  "cursor",
]);

interface RegisteredAnswer {
  readonly lobby_id: string;
  readonly token: string;
}

interface SeatedAnswer {
  readonly lobby: { readonly lobby_id: string };
  readonly players: readonly { readonly token: string }[];
}

export function createWorld(sequence: number, adminToken: string): World {
  const known = new Map<string, string[]>();
  const tokens = new Map<string, string[]>([["admin", [adminToken]]]);
  const kept = new Set<string>();
  const seats: Seat[] = [];
  const lobbyTokens = new Map<string, string>();

  function noteSeats(answer: Partial<SeatedAnswer & RegisteredAnswer> | null): void {
    if (answer?.lobby_id && answer.token) lobbyTokens.set(answer.lobby_id, answer.token);
    if (!answer?.lobby || !Array.isArray(answer.players)) return;
    const lobbyToken = lobbyTokens.get(answer.lobby.lobby_id) ?? null;
    for (const { token } of answer.players) seats.push({ playerToken: token, lobbyToken });
    seats.splice(0, seats.length - rememberedMax);
  }

  function add(lists: Map<string, string[]>, name: string, value: string): void {
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    if (list.includes(value)) return;
    list.push(value);
    // The first one is of the set-up.
    if (list.length > rememberedMax) list.splice(1, 1);
  }

  function walk(operation: Operation, value: unknown, name: string): void {
    if (Array.isArray(value)) for (const each of value.slice(0, 3)) walk(operation, each, name);
    else if (typeof value === "object" && value !== null) {
      for (const [key, each] of Object.entries(value)) walk(operation, each, key);
    } else if (typeof value === "string") noteText(operation, value, name);
  }

  function noteText(operation: Operation, value: string, name: string): void {
    const kind = /^([a-z]+)_[\w-]{20,}$/.exec(value)?.[1];
    if (name === "token" && kind !== undefined) add(tokens, kind, value);
    else if (name === "code") add(known, operation.id === "auth.createSignInCode" ? "sign_in_code" : "code", value);
    else if (learnt.has(name)) add(known, name, value);
  }

  return {
    sequence,
    known,
    tokens,
    kept,
    seats,
    note: (name, value) => add(known, name, value),
    learn(operation, answer) {
      // A list of the admin token shows the games of other sequences, which run at the same time.
      if (/^(?:games\.listGames|audit\.list|nodes\.list)$/.test(operation.id)) return;
      walk(operation, answer, "");
      // Cast: what is not there is looked for first.
      if (typeof answer === "object") noteSeats(answer as Partial<SeatedAnswer & RegisteredAnswer> | null);
    },
  };
}

export const gameModes = ["duel", "solo", "match"];
export const regions = ["local", "far"];

const external = {
  taggable: true,
  allow_dynamic_max_players: true,
  actions: { create: { enabled: true } },
  timeouts: { heartbeat_s: 0, reconnect_s: 60 },
  runtime: { external: {} },
};
/** It listens, becomes ready and ends a little later, so that nothing is left when the run is over. */
const program = `require("node:net").createServer().listen(process.env.PORT, () =>
  fetch(process.env.FOYER_API_ENDPOINT + "/matchmaker/lobbies/ready", { method: "POST",
  headers: { authorization: "Bearer " + process.env.FOYER_TOKEN } })); setTimeout(() => process.exit(0), 5000);`;

/** Every tenth sequence has a game mode whose lobbies are real processes; in the others they would take most of the time. */
export function versionDocument(sequence: number): Record<string, unknown> {
  const process = { process: { command: "node", args: ["-e", program] } };
  const match = { ...external, max_players: 4, timeouts: { empty_s: 1, ready_s: 10 } };
  return {
    regions: { local: { display_name: "Local", latitude: 52.5, longitude: 13.4 }, far: {} },
    game_modes: {
      duel: { ...external, max_players: 8, max_players_direct: 16, codes: { enabled: true }, player_keys: "open" },
      solo: { ...external, max_players: 1 },
      match: sequence % 10 === 0 ? { ...match, runtime: process } : match,
    },
  };
}

export const buildArchive = archive([{ name: "server.mjs", content: "// a lobby\n", mode: 0o755 }]);

/** Sends one request of the set-up, which must succeed, and gives the answer. */
export type Ask = (
  operationId: string,
  params: Readonly<Record<string, string>>,
  token: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service says, and the caller looks into it.
) => Promise<any>;

/** A game that is played: two namespaces, a version, lobbies with seats, tokens of every kind, a build and a block. */
export async function setUp(world: World, ask: Ask): Promise<void> {
  const { sequence } = world;
  const admin = world.tokens.get("admin")![0]!;
  const names = (name: string) => ({ display_name: "A Name", name_id: `${name}-${sequence}` });
  const { game_id } = await ask("games.createGame", {}, admin, names("fuzz"));
  world.note("game_name", names("fuzz").name_id);
  const game = { game_id };
  const { token: cloud } = await ask("games.tokens.createCloudToken", game, admin);
  const version = { display_name: "A Version", config: versionDocument(sequence) };
  const { version_id } = await ask("games.versions.createGameVersion", game, admin, version);
  await ask("games.builds.createBuild", game, cloud, buildArchive);
  const named = { ...names("prod"), version_id };
  const { namespace_id } = await ask("games.namespaces.createGameNamespace", game, cloud, named);
  const at = { ...game, namespace_id };
  await keepPlayable(world, ask);
  await ask("games.namespaces.createGameNamespaceTokenPublic", at, cloud);
  const server = (await ask("games.namespaces.createGameNamespaceTokenServer", at, cloud)).token;
  const ports = { default: { protocol: "ws", port: 7777 } };
  await ask("games.namespaces.createGameNamespaceTokenDevelopment", at, cloud, { hostname: "127.0.0.1", ports });
  await ask("games.namespaces.addNamespaceDomain", at, cloud, { domain: domainOf(sequence) });
  await ask("games.namespaces.toggleNamespaceDomainPublicAuth", at, cloud, { enabled: true });
  const { code } = await ask("auth.createSignInCode", {}, admin);
  await ask("auth.signIn", {}, "", { code });
  for (const list of world.known.values()) for (const id of list) world.kept.add(id);
  const spare = await ask("auth.createSignInCode", {}, admin);
  const session = await ask("auth.signIn", {}, "", { code: spare.code });
  // To be ended. The list of all sessions is not learnt from: it has those of other sequences, which run at the same time.
  world.note("session_id", (await ask("auth.whoami", {}, session.token)).token_id);
  await register(ask, server);
  // What belongs to another game: its ids and tokens are of no use here.
  const other = await ask("games.createGame", {}, admin, names("other"));
  world.note("other_game", other.game_id);
  const foreign = await ask("games.tokens.createCloudToken", other, admin);
  world.note("foreign_token", foreign.token);
}

/** Undoes what requests did to the namespace, so that the next ones can succeed. */
export async function keepPlayable(world: World, ask: Ask): Promise<void> {
  const cloud = world.tokens.get("cloud")?.[0];
  if (cloud === undefined) return;
  const at = { game_id: world.known.get("game_id")![0]!, namespace_id: world.known.get("namespace_id")![0]! };
  const limits = { lobby_count_max: 1000, max_players: 100, max_players_per_client: null };
  await ask("games.namespaces.updateGameNamespaceMatchmakerConfig", at, cloud, limits);
  const version_id = world.known.get("version_id")![0]!;
  await ask("games.namespaces.updateGameNamespaceVersion", at, cloud, { version_id });
  const server = world.tokens.get("server")?.[0];
  if (server !== undefined) await register(ask, server);
}

async function register(ask: Ask, server: string): Promise<void> {
  const ports = { default: { hostname: "127.0.0.1", port: 7777, is_tls: false } };
  const body = { game_mode: "duel", region: "local", ports };
  const lobby = await ask("lobbies.register", {}, server, body);
  if (lobby?.token) await ask("lobbies.ready", {}, lobby.token);
}

export function domainOf(sequence: number): string {
  return `s${sequence}.example.com`;
}

/** The latest values are those that most likely still exist. */
export function recent(world: World, name: string, chance: Chance): string | undefined {
  const list = world.known.get(name) ?? [];
  return list.length === 0 ? undefined : chance.pick(list.slice(-4));
}
