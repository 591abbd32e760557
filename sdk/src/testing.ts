import { FoyerError } from "./error.ts";
import { createFoyer, type Foyer } from "./foyer.ts";
import type { RegisterRequest } from "./generated/types.ts";
import { createMatchmaker, type Matchmaker, type MatchmakerOptions } from "./matchmaker.ts";

export interface TestFoyerOptions {
  /** The game modes of the version, by name. Absent: `default`, with 8 players. `runtime` may be absent: your test runs the lobbies. */
  readonly gameModes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The regions of the version, by name. Absent: `local`. */
  readonly regions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A Foyer of the test's own, with the namespace `test` of the game `game`. */
export interface TestFoyer {
  readonly endpoint: string;
  readonly gameId: "game";
  readonly namespaceId: "test";
  readonly adminToken: string;
  readonly publicToken: string;
  readonly serverToken: string;
  /** Has every operation, with the admin token. */
  readonly admin: Foyer;
  /** A player's view, with the public token. */
  matchmaker<Web extends string = "default">(options?: MatchmakerOptions): Matchmaker<Web>;
  /** Registers a lobby that your test runs at this port, and gives the variables that Foyer would start it with. */
  registerLobby(lobby: {
    readonly port: number;
    readonly gameMode?: string;
    readonly region?: string;
  }): Promise<TestLobby>;
  /** A development token that points to a server at this port. */
  createDevelopmentToken(server: { readonly port: number }): Promise<string>;
  /** Stops the service and removes its data. */
  stop(): Promise<void>;
}

export interface TestLobby {
  readonly lobbyId: string;
  /** Null: the game mode has no codes. */
  readonly code: string | null;
  /** What the lobby's server finds in its environment: `FOYER_TOKEN`, `FOYER_API_ENDPOINT`, `PORT` and others. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts Foyer in this process on a free port, with its data in a temporary folder. It needs the package `foyer-server`. */
export async function startFoyer(options: TestFoyerOptions = {}): Promise<TestFoyer> {
  const service = await (await loadService()).startEmbedded();
  try {
    return await prepare(service, options);
  } catch (error) {
    await service.close();
    throw error;
  }
}

interface Service {
  readonly url: string;
  readonly adminToken: string;
  close(): Promise<void>;
}

const [gameId, namespaceId] = ["game", "test"] as const;

async function prepare(service: Service, options: TestFoyerOptions): Promise<TestFoyer> {
  const { url: endpoint, adminToken } = service;
  const admin = createFoyer({ endpoint, token: adminToken });
  const config = createConfig(options);
  await admin.games.createGame({ display_name: "Game", name_id: gameId });
  const { version_id } = await admin.games.versions.createGameVersion(gameId, { display_name: "1", config });
  const { namespaces } = admin.games;
  await namespaces.createGameNamespace(gameId, { display_name: "Test", name_id: namespaceId, version_id });
  const { token: publicToken } = await namespaces.createGameNamespaceTokenPublic(gameId, namespaceId);
  const { token: serverToken } = await namespaces.createGameNamespaceTokenServer(gameId, namespaceId);
  const backend = createFoyer({ endpoint, token: serverToken });
  const [firstMode, firstRegion] = [config.game_modes, config.regions].map((named) => Object.keys(named)[0]!);
  return {
    ...{ endpoint, gameId, namespaceId, adminToken, publicToken, serverToken, admin },
    matchmaker: (given) => createMatchmaker({ endpoint, token: publicToken, ...given }),
    registerLobby: ({ port, gameMode = firstMode!, region = firstRegion! }) =>
      registerLobby(backend, endpoint, { game_mode: gameMode, region, ports: toPorts(port) }),
    async createDevelopmentToken({ port }) {
      const server = { hostname: "127.0.0.1", ports: { default: { protocol: "ws" as const, port } } };
      return (await namespaces.createGameNamespaceTokenDevelopment(gameId, namespaceId, server)).token;
    },
    stop: () => service.close(),
  };
}

function createConfig({ gameModes = { default: { max_players: 8 } }, regions = { local: {} } }: TestFoyerOptions) {
  const modes = Object.entries(gameModes).map(([name, mode]) => [name, { runtime: { external: {} }, ...mode }]);
  return { regions, game_modes: Object.fromEntries(modes) };
}

const toPorts = (port: number) => ({ default: { hostname: "127.0.0.1", port, is_tls: false } });

async function registerLobby(backend: Foyer, endpoint: string, request: RegisterRequest): Promise<TestLobby> {
  const { lobby_id, token, code, heartbeat_s, reconnect_s } = await backend.lobbies.register(request);
  const { port } = request.ports.default!;
  return {
    lobbyId: lobby_id,
    code: code ?? null,
    env: {
      FOYER_TOKEN: token,
      FOYER_API_ENDPOINT: endpoint,
      FOYER_LOBBY_ID: lobby_id,
      FOYER_GAME_MODE: request.game_mode,
      FOYER_REGION: request.region,
      FOYER_HEARTBEAT_S: String(heartbeat_s),
      FOYER_RECONNECT_S: String(reconnect_s),
      ...(code !== undefined && { FOYER_LOBBY_CODE: code }),
      PORT: String(port),
      PORT_DEFAULT: String(port),
    },
  };
}

async function loadService(): Promise<{ startEmbedded(): Promise<Service> }> {
  // In a variable, because the package is optional: neither the compiler nor a bundler may look for it.
  const name: string = "foyer-server/embedded";
  try {
    return await import(name);
  } catch (cause) {
    const advice = "foyer-sdk/testing needs Foyer itself: npm install --save-dev foyer-server";
    throw new FoyerError("NOT_CONFIGURED", advice, { cause });
  }
}
