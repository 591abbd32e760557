import { createFoyer, type Foyer } from "../../sdk/src/foyer.ts";
import { createLobbyServer, type LobbyServer, type LobbyServerOptions } from "../../sdk/src/lobby-server.ts";
import {
  createMatchmaker,
  type Matchmaker,
  type MatchmakerOptions,
  type TokenStorage,
} from "../../sdk/src/matchmaker.ts";
import { type RunningFoyer, startFoyer } from "../../src/app/main.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A real service with one namespace, whose lobbies are servers of the test. */
export interface SdkWorld {
  readonly running: RunningFoyer;
  readonly admin: Foyer;
  readonly publicToken: string;
  /** A registered lobby; it is not ready yet. */
  lobby(options?: LobbyServerOptions): Promise<TestLobby>;
  matchmaker(options?: MatchmakerOptions): Matchmaker;
  close(): Promise<void>;
}

interface TestLobby extends LobbyServer {
  readonly id: string;
  /** How many heartbeats were answered. */
  heartbeats(): number;
  /** Another server for the same lobby, which knows no players. */
  restart(): LobbyServer;
}

export const params = ["chess", "prod"] as const;

export async function createSdkWorld(): Promise<SdkWorld> {
  const log = createLog({ level: "error", format: "json", destination: { write: () => true } });
  const config = defaultConfig({ port: 0, metricsPort: null, dataDir: temporaryFolder(), demo: false });
  const running = await startFoyer(config, log);
  const endpoint = running.url;
  const admin = createFoyer({ endpoint, token: running.adminToken.token });
  await admin.games.createGame({ display_name: "Chess", name_id: "chess" });
  const { version_id } = await admin.games.versions.createGameVersion("chess", {
    display_name: "1",
    config: {
      regions: { local: { display_name: "Here", ping_url: `${endpoint}/ping` }, far: {} },
      game_modes: {
        duel: {
          max_players: 4,
          codes: { enabled: true },
          timeouts: { reconnect_s: 60 },
          runtime: { external: {} },
        },
      },
    },
  });
  await admin.games.namespaces.createGameNamespace("chess", { display_name: "Prod", name_id: "prod", version_id });
  const { token: publicToken } = await admin.games.namespaces.createGameNamespaceTokenPublic(...params);
  const { token: serverToken } = await admin.games.namespaces.createGameNamespaceTokenServer(...params);
  const server = createFoyer({ endpoint, token: serverToken });
  const stops: (() => Promise<void>)[] = [];
  return {
    running,
    admin,
    publicToken,
    async lobby(options = {}) {
      const ports = { default: { hostname: "127.0.0.1", port: 5001, is_tls: false } };
      const made = await server.lobbies.register({ game_mode: "duel", region: "local", ports });
      const counting = countHeartbeats();
      const start = () =>
        createLobbyServer({ endpoint, token: made.token, fetch: counting.fetch, handleSignals: false, ...options });
      const lobby = start();
      stops.push(() => lobby.stop());
      return Object.assign(lobby, { id: made.lobby_id, heartbeats: counting.count, restart: start });
    },
    matchmaker: (options) => createMatchmaker({ endpoint, token: publicToken, ...options }),
    async close() {
      for (const stop of stops) await stop();
      await running.close();
    },
  };
}

function countHeartbeats() {
  let count = 0;
  const counted: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (String(url).endsWith("/heartbeat")) count++;
    return response;
  };
  return { fetch: counted, count: () => count };
}

/** A session storage as browsers have it. */
export function createStorage(): TokenStorage & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => void kept.set(name, value),
    removeItem: (name) => void kept.delete(name),
  };
}
