import { type Client, createClient, type Json } from "../remote/client.ts";
import type { Connection } from "../remote/connection.ts";
import { createThrowawayNamespace, removeLeftovers, type ThrowawayNamespace } from "../remote/throwaway-namespace.ts";
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

export async function openStage(connection: Connection, game: GameFile): Promise<Stage> {
  const admin = createClient(connection);
  const { game_id, isNew } = await findGame(admin, game);
  const removeGame = async () => {
    if (isNew) await admin.call("games.deleteGame", { params: { game_id }, query: { force: "true" } });
  };
  const own = await createNamespace(admin, game_id, game).catch(async (error: unknown) => {
    await removeGame().catch(() => undefined);
    throw error;
  });
  const { params, publicToken, server, nameId, versionId } = own;

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
        { ...params, name_id: nameId, version_id: versionId, mode, region },
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
      await own.remove();
      await removeGame();
    },
  };
}

async function createNamespace(admin: Client, game_id: string, game: GameFile): Promise<ThrowawayNamespace> {
  await removeLeftovers(admin, game_id, "dev");
  return createThrowawayNamespace(admin, { game_id, kind: "dev", config: game.devConfig });
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
