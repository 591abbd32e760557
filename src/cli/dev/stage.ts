import { isFoyerError, type RegisterAnswer } from "foyer-sdk";
import { all, type Client, createClient } from "../remote/client.ts";
import type { Connection } from "../remote/connection.ts";
import { createThrowawayNamespace, isThrowawayGame, removeLeftovers } from "../remote/throwaway-namespace.ts";
import type { GameFile } from "./game-file.ts";

/** A game with a namespace that exists for as long as `foyer dev` runs. */
export interface Stage {
  readonly params: { readonly game_id: string; readonly namespace_id: string };
  readonly admin: Client;
  readonly publicToken: string;
  /** Labels of ports that take no connections. */
  readonly untriedPorts: ReadonlySet<string>;
  /** Registers a lobby of the game mode at these ports. */
  register(mode: string, ports: Readonly<Record<string, number>>): Promise<StagedLobby>;
  /** Removes the namespace, and the game if it was made for this stage or one that ended earlier, and no other uses it. */
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
  const { game_id, isNew: isNewGame } = await findGame(admin, game);
  const removeGame = async () => {
    if (!isNewGame || (await all(admin.games.namespaces.listGameNamespaces(game_id))).length > 0) return;
    await admin.games.deleteGame(game_id);
  };
  await removeLeftovers(admin, game_id, "dev");
  const asked = { game_id, kind: "dev", isNewGame, config: game.devConfig } as const;
  const own = await createThrowawayNamespace(admin, asked).catch(async (error: unknown) => {
    await removeGame().catch(() => undefined);
    throw error;
  });
  const { params, publicToken, server, nameId, versionId } = own;

  return {
    params,
    admin,
    publicToken,
    untriedPorts: new Set(
      Object.values(game.devConfig.game_modes).flatMap(({ ports }) =>
        Object.entries(ports ?? {}).flatMap(([label, { protocol, lazy }]) =>
          protocol === "udp" || lazy ? [label] : [],
        ),
      ),
    ),
    async register(mode, ports) {
      const region = Object.keys(game.devConfig.regions)[0]!;
      const places = Object.entries(ports).map(([label, port]) => [
        label,
        { hostname: "127.0.0.1", port, is_tls: false },
      ]);
      const body = { game_mode: mode, region, ports: Object.fromEntries(places) };
      const lobby = await server.lobbies.register(body);
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

/** A player who is missing from two heartbeats has dropped. */
async function dropPlayers(lobby: Client): Promise<void> {
  for (let count = 0; count < 2; count++) await lobby.lobbies.heartbeat({ player_ids: [] });
}

async function findGame(
  admin: Client,
  { name_id, display_name }: GameFile,
): Promise<{ game_id: string; isNew: boolean }> {
  try {
    return { game_id: (await admin.games.createGame({ display_name, name_id })).game_id, isNew: true };
  } catch (error) {
    const isThere = isFoyerError(error) && ["CLOUD_NAME_TAKEN", "TOKEN_FORBIDDEN"].includes(error.code);
    if (!isThere) throw error;
    const { game_id } = (await admin.games.getGame(name_id)).game;
    return { game_id, isNew: await isThrowawayGame(admin, game_id) };
  }
}

function describeEnvironment(
  endpoint: string,
  place: Readonly<Record<"game_id" | "namespace_id" | "name_id" | "version_id" | "mode" | "region", string>>,
  game: GameFile,
  lobby: RegisterAnswer,
): Record<string, string> {
  const { max_players, max_players_direct } = game.devConfig.game_modes[place.mode]!;
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
    FOYER_MAX_PLAYERS_DIRECT: String(max_players_direct ?? max_players),
    FOYER_HEARTBEAT_S: String(lobby.heartbeat_s),
    FOYER_RECONNECT_S: String(lobby.reconnect_s),
    FOYER_LOBBY_TAGS: "{}",
    ...(lobby.code && { FOYER_LOBBY_CODE: lobby.code }),
  };
}
