import { type Client, createClient, type Json } from "../remote/client.ts";
import type { Connection } from "../remote/connection.ts";
import type { GameFile } from "./game-file.ts";

/** A game with a namespace that exists for as long as `foyer dev` runs. */
export interface Stage {
  readonly params: { readonly game_id: string; readonly namespace_id: string };
  readonly admin: Client;
  readonly publicToken: string;
  /** Registers a lobby of the game mode at these ports. */
  register(mode: string, ports: Readonly<Record<string, number>>): Promise<StagedLobby>;
  /** Removes the namespace, and the game if this stage made it. */
  remove(): Promise<void>;
}

export interface StagedLobby {
  readonly lobbyId: string;
  /** The variables that Foyer gives to the process of a lobby. */
  readonly env: Readonly<Record<string, string>>;
  /** Holds the seats of all players, so that they can come back when the program has started again. */
  dropPlayers(): Promise<void>;
}

const namePrefix = "dev-";

export async function openStage(connection: Connection, game: GameFile, pid: number): Promise<Stage> {
  const admin = createClient(connection);
  const { game_id, isNew } = await findGame(admin, game);
  await removeLeftovers(admin, game_id);
  const name_id = `${namePrefix}${pid}`;
  const { namespace_id } = await admin.call("games.namespaces.createGameNamespace", {
    params: { game_id },
    body: { display_name: "foyer dev", name_id },
  });
  const params = { game_id, namespace_id };
  const { version_id } = await admin.call("games.versions.createGameVersion", {
    params: { game_id },
    body: { display_name: "foyer dev", config: game.devConfig },
  });
  await admin.call("games.namespaces.updateGameNamespaceVersion", { params, body: { version_id } });
  const { token: publicToken } = await admin.call("games.namespaces.createGameNamespaceTokenPublic", { params });
  const { token } = await admin.call("games.namespaces.createGameNamespaceTokenServer", { params });
  const server = createClient({ ...connection, token });

  return {
    params,
    admin,
    publicToken,
    async register(mode, ports) {
      const region = Object.keys(game.devConfig.regions)[0]!;
      const places = Object.entries(ports).map(([label, port]) => [
        label,
        { hostname: "127.0.0.1", port, is_tls: false },
      ]);
      const body = { game_mode: mode, region, ports: Object.fromEntries(places) };
      const lobby = await server.call("lobbies.register", { body });
      const env = describeEnvironment(
        connection.endpoint,
        { ...params, name_id, version_id, mode, region },
        game,
        lobby,
      );
      return {
        lobbyId: lobby.lobby_id,
        env,
        dropPlayers: () => dropPlayers(createClient({ ...connection, token: lobby.token })),
      };
    },
    async remove() {
      const query = { force: "true" };
      await admin.call("games.namespaces.deleteGameNamespace", { params, query });
      if (isNew) await admin.call("games.deleteGame", { params: { game_id }, query });
      else await admin.call("games.versions.deleteGameVersion", { params: { game_id, version_id } });
    },
  };
}

/** A player who is missing from two heartbeats has dropped. */
async function dropPlayers(lobby: Client): Promise<void> {
  for (let count = 0; count < 2; count++) await lobby.call("lobbies.heartbeat", { body: { player_ids: [] } });
}

async function findGame(
  admin: Client,
  { name_id, display_name }: GameFile,
): Promise<{ game_id: string; isNew: boolean }> {
  const games: Json[] = await admin.all("games.listGames", "games");
  const known = games.find((game) => game.name_id === name_id);
  if (known) return { game_id: known.game_id, isNew: false };
  const { game_id } = await admin.call("games.createGame", { body: { display_name, name_id } });
  return { game_id, isNew: true };
}

/** Of a `foyer dev` that was killed: its process no longer runs. */
async function removeLeftovers(admin: Client, game_id: string): Promise<void> {
  const params = { game_id };
  const namespaces: Json[] = await admin.all("games.namespaces.listGameNamespaces", "namespaces", { params });
  for (const { name_id, display_name, namespace_id } of namespaces) {
    const pid = Number(name_id.slice(namePrefix.length));
    if (display_name !== "foyer dev" || !name_id.startsWith(namePrefix) || isRunning(pid)) continue;
    const query = { force: "true" };
    await admin.call("games.namespaces.deleteGameNamespace", { params: { game_id, namespace_id }, query });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function describeEnvironment(
  endpoint: string,
  place: Readonly<Record<"game_id" | "namespace_id" | "name_id" | "version_id" | "mode" | "region", string>>,
  game: GameFile,
  lobby: Json,
): Record<string, string> {
  const { max_players, max_players_direct = max_players } = game.devConfig.game_modes[place.mode]!;
  return {
    FOYER_TOKEN: lobby.token,
    FOYER_API_ENDPOINT: endpoint,
    FOYER_LOBBY_ID: lobby.lobby_id,
    FOYER_GAME_ID: place.game_id,
    FOYER_NAMESPACE_ID: place.namespace_id,
    FOYER_NAMESPACE_NAME: place.name_id,
    FOYER_VERSION_ID: place.version_id,
    FOYER_GAME_MODE: place.mode,
    FOYER_REGION: place.region,
    FOYER_MAX_PLAYERS: String(max_players),
    FOYER_MAX_PLAYERS_DIRECT: String(max_players_direct),
    FOYER_HEARTBEAT_S: String(lobby.heartbeat_s),
    FOYER_RECONNECT_S: String(lobby.reconnect_s),
    FOYER_LOBBY_TAGS: "{}",
    ...(lobby.code && { FOYER_LOBBY_CODE: lobby.code }),
  };
}
