import type { Config } from "../../src/config/config.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createFakeRuntime, type FakeRuntime } from "./fake-runtime.ts";
import {
  type Answer,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  type NamespaceAtHand,
  type Service,
  startService,
} from "./harness.ts";
import type { ServiceKind } from "./services/stores.ts";

/** A service whose clock stands still until the test moves it, with a driver that the test plays. */
export interface Matchmaker {
  readonly service: Service;
  readonly clock: Clock;
  readonly runtime: FakeRuntime;
}

export interface Clock {
  now(): number;
  advance(ms: number): void;
}

export function createClock(startsAt: number = Date.UTC(2031, 0, 1)): Clock {
  let now = startsAt;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

/** Proxies on this machine are trusted, so that a test can be any client; rate limits are off. */
export async function startMatchmaker(
  kind: ServiceKind = "sqlite",
  overrides: Partial<Config> = {},
  parts: { clock?: Clock; runtime?: FakeRuntime; newCodes?: (length: number) => string[] } = {},
): Promise<Matchmaker> {
  const clock = parts.clock ?? createClock();
  const runtime = parts.runtime ?? createFakeRuntime();
  const unlimited = {
    rateAddress: 0,
    rateFind: 0,
    rateSeats: 0,
    rateCreate: 0,
    rateList: 0,
    rateLobby: 0,
    rateServer: 0,
  };
  const crowded = { maxInFlightPerAddress: 10_000, maxConnectionsPerAddress: 10_000 };
  const config = { trustedProxies: ["127.0.0.1"], ...unlimited, ...crowded, ...overrides };
  const codes = parts.newCodes && { newCodes: parts.newCodes };
  const injected: { now: () => number; runtime: Runtime } = { now: clock.now, runtime, ...codes };
  return { service: await startService(kind, config, injected), clock, runtime };
}

const local = { display_name: "Local", provider_display_name: "Home", latitude: 52.5, longitude: 13.4 };
const far = { display_name: "Far Away", latitude: -33.9, longitude: 151.2 };

type Json = Record<string, unknown>;

/** A version with one mode of each runtime, `duel` and `match`; the odd field changed for both, or a mode added. */
export function config(mode: Json = {}, modes: Json = {}) {
  // Lobbies of tests need not send heartbeats.
  const timeouts = { heartbeat_s: 0, ...(mode.timeouts as Json | undefined) };
  const both = { max_players: 2, max_players_direct: 4, taggable: true, ...mode, timeouts };
  const process = { command: "node", args: ["server.js"], cwd: "game", env: { MODE: "test" } };
  const create = { create: { enabled: true } };
  return {
    regions: { local, far },
    game_modes: {
      duel: { ...both, runtime: { external: {} } },
      match: { actions: create, ...both, runtime: { process } },
      ...modes,
    } as Record<string, Json>,
  };
}

/** A namespace with a version deployed and what its players and servers call with. */
export interface Arena {
  readonly namespace: NamespaceAtHand;
  readonly versionId: string;
  readonly pub: string;
  readonly server: string;
  /** A player's call; `client` is the address it comes from. */
  play(method: string, path: string, body?: unknown, options?: PlayOptions): Promise<Answer>;
  find(body?: Json, options?: PlayOptions): Promise<Answer>;
  join(lobbyId: string, body?: Json, options?: PlayOptions): Promise<Answer>;
  create(body?: Json, options?: PlayOptions): Promise<Answer>;
  list(query?: string): Promise<Answer>;
  /** Registers a lobby of the external mode, which must succeed. */
  register(body?: Json): Promise<LobbyAtHand>;
  /** The same, ready. */
  ready(body?: Json): Promise<LobbyAtHand>;
  lobby(lobbyId: string, token: string): LobbyAtHand;
  limit(limits: Json): Promise<void>;
  /** Creates a version of this document and deploys it. */
  deploy(document: unknown): Promise<string>;
  redeploy(versionId: string): Promise<void>;
  /** The operator's view. */
  lobbies(query?: string): Promise<OperatorLobby[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
type OperatorLobby = any;

interface PlayOptions {
  readonly token?: string | null;
  readonly client?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a lobby server does. */
export interface LobbyAtHand {
  readonly lobbyId: string;
  readonly token: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  ready(): Promise<Answer>;
  setClosed(isClosed: boolean): Promise<Answer>;
  connect(playerToken: string): Promise<Answer>;
  disconnect(playerToken: string, mayReturn?: boolean): Promise<Answer>;
  heartbeat(body?: Json): Promise<Answer>;
  stop(): Promise<Answer>;
  /** The operator's view of it, with its players. */
  seen(): Promise<OperatorLobby>;
}

export const address = { default: { hostname: "duel.example.com", port: 7777, is_tls: false } };

export async function createArena(
  service: Service,
  document: unknown = config(),
  game?: NamespaceAtHand["game"],
): Promise<Arena> {
  const owner = game ?? (await createGame(service));
  const versionId = await createVersion(service, owner, document);
  const namespace = await createNamespace(service, owner, { versionId });
  const pub = (await createToken(service, namespace, "pub")).token;
  const server = (await createToken(service, namespace, "server")).token;
  return arenaOf(service, namespace, { versionId, pub, server });
}

export function arenaOf(
  service: Pick<Service, "request" | "admin">,
  namespace: NamespaceAtHand,
  known: { versionId: string; pub: string; server: string },
): Arena {
  const play: Arena["play"] = (method, path, body, options = {}) =>
    service.request(method, `/matchmaker/${path}`, {
      token: options.token === undefined ? known.pub : options.token,
      ...(body !== undefined && { body }),
      headers: {
        ...(options.client && { "x-forwarded-for": options.client }),
        ...(options.key !== undefined && { "idempotency-key": options.key }),
        ...options.headers,
      },
    });

  function lobby(lobbyId: string, token: string): LobbyAtHand {
    const call: LobbyAtHand["call"] = (method, path, body) =>
      service.request(method, `/matchmaker/${path}`, { token, ...(body !== undefined && { body }) });
    return {
      lobbyId,
      token,
      call,
      ready: () => call("POST", "lobbies/ready"),
      setClosed: (isClosed) => call("PUT", "lobbies/closed", { is_closed: isClosed }),
      connect: (player_token) => call("POST", "players/connected", { player_token }),
      disconnect: (player_token, may_return) =>
        call("POST", "players/disconnected", { player_token, ...(may_return !== undefined && { may_return }) }),
      heartbeat: (body = {}) => call("POST", "lobbies/heartbeat", body),
      stop: () => call("POST", "lobbies/stop"),
      seen: async () => (await service.admin("GET", `${namespace.path}/lobbies/${lobbyId}`)).lobby,
    };
  }

  const arena: Arena = {
    ...known,
    namespace,
    play,
    lobby,
    find: (body = {}, options) => play("POST", "lobbies/find", { game_modes: ["duel"], ...body }, options),
    join: (lobby_id, body = {}, options) => play("POST", "lobbies/join", { lobby_id, ...body }, options),
    create: (body = {}, options) => play("POST", "lobbies/create", { game_mode: "match", ...body }, options),
    list: (query = "") => play("GET", `lobbies/list${query}`),
    async register(body = {}) {
      const whole = { game_mode: "duel", region: "local", ports: address, ...body };
      const answer = await play("POST", "lobbies/register", whole, { token: known.server });
      if (answer.status !== 200) throw new Error(`register answered ${answer.status}: ${answer.text}`);
      return lobby(answer.json.lobby_id, answer.json.token);
    },
    async ready(body) {
      const registered = await arena.register(body);
      await registered.ready();
      return registered;
    },
    async limit(limits) {
      const whole = { lobby_count_max: 1000, max_players: 100, ...limits };
      await service.admin("POST", `${namespace.path}/mm-config`, whole);
    },
    async deploy(document) {
      const body = { display_name: "Another Version", config: document };
      const { version_id } = await service.admin("POST", `${namespace.game.path}/versions`, body);
      await arena.redeploy(version_id);
      return version_id;
    },
    async redeploy(version_id) {
      await service.admin("PUT", `${namespace.path}/version`, { version_id });
    },
    lobbies: async (query = "") => (await service.admin("GET", `${namespace.path}/lobbies${query}`)).lobbies,
  };
  return arena;
}

/** The lobby that a find, join or create answered. */
export function lobbyIdOf(answer: Answer): string {
  if (answer.status !== 200) throw new Error(`No seat: ${answer.status} ${answer.text}`);
  return answer.json.lobby.lobby_id;
}

/** The tokens of the seats that it took. */
export function tokensOf(answer: Answer): string[] {
  lobbyIdOf(answer);
  return answer.json.players.map(({ token }: { token: string }) => token);
}
