import { nodeTagOf } from "../../ground/tokens.ts";
import type { LobbyView, NewLobby, Pair } from "../../matchmaker/commands.ts";
import type { LobbyPorts, LobbyToStart, Program } from "../../runtime/runtime.ts";
import { createStartPermit } from "../capacity/start-permit.ts";
import type { Context } from "../context.ts";
import { describeProgram } from "./describe-program.ts";
import { drawCodes } from "./join-codes.ts";
import { locateProgram } from "./lobby-program.ts";
import { newLobby } from "./new-lobby.ts";
import { portAnswer, routedPort } from "./ports.ts";

/** How to start the server of a lobby that Foyer runs; null: its version or namespace was deleted. */
export async function describeLobby(
  context: Context,
  apiEndpoint: string,
  namespaceId: string,
  lobby: LobbyView,
): Promise<LobbyToStart | null> {
  const config = await context.configs.identity(namespaceId);
  const version = config && (await context.configs.version(config.gameId, lobby.versionId));
  const mode = version?.config.game_modes[lobby.gameMode];
  const described = mode && describeProgram(mode, lobby.versionId);
  if (!config || !described) return null;
  const { lobbyId, nodeId } = lobby;
  const nodeTag = nodeId === null ? {} : { nodeTag: nodeTagOf(nodeId) };
  const { env } = described;
  const program = await locateProgram(context, described.program, { mode, lobbyId });
  return {
    lobbyId,
    namespaceId,
    program,
    ports: mode.ports,
    env: {
      ...env,
      FOYER_TOKEN: context.tokens.make({ kind: "lobby", namespaceId, lobbyId, ...nodeTag }),
      FOYER_API_ENDPOINT: isApart(program) ? (context.config.lobbyApiEndpoint ?? apiEndpoint) : apiEndpoint,
      FOYER_LOBBY_ID: lobbyId,
      FOYER_GAME_ID: config.gameId,
      FOYER_NAMESPACE_ID: namespaceId,
      FOYER_NAMESPACE_NAME: config.nameId,
      FOYER_VERSION_ID: lobby.versionId,
      FOYER_GAME_MODE: lobby.gameMode,
      FOYER_REGION: lobby.region,
      FOYER_MAX_PLAYERS: String(lobby.maxPlayers),
      FOYER_MAX_PLAYERS_DIRECT: String(lobby.maxPlayersDirect),
      FOYER_HEARTBEAT_S: String(lobby.heartbeatMs / 1000),
      FOYER_RECONNECT_S: String(lobby.reconnectMs / 1000),
      FOYER_LOBBY_TAGS: JSON.stringify(lobby.tags),
      ...(lobby.code !== null && { FOYER_LOBBY_CODE: lobby.code }),
      ...(lobby.lobbyConfig !== null && { FOYER_LOBBY_CONFIG: lobby.lobbyConfig }),
    },
  };
}

/** A container with a network of its own reaches this machine under another address than its programs do. */
function isApart(program: Program): boolean {
  return program.kind === "docker" && program.network === "bridge";
}

/** The ports that a driver chose, in the form that lobbies carry. */
export function portsText(ports: LobbyPorts): string {
  const entries = Object.entries(ports).map(([label, { hostname, port, isTls, protocol, routing, localHost }]) => {
    const shown = { hostname, port, is_tls: isTls, protocol };
    return [label, routing === "gateway" ? routedPort(shown, localHost) : portAnswer(shown)];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** Whether the deployed version keeps lobbies of any game mode ready. */
export async function wantsIdle({ configs }: Context, namespaceId: string): Promise<boolean> {
  const config = await configs.get(namespaceId);
  return Object.values(config?.version?.config.game_modes ?? {}).some(({ idle_lobbies }) => idle_lobbies.min > 0);
}

/** A lobby for the warm pool; null: the version no longer has the pair, or no lobby of it can be started now. */
export async function planWarm(
  context: Context,
  namespaceId: string,
  pair: Pair,
  longerBy: number,
): Promise<{ lobby: NewLobby; revision: number; settle(isMade: boolean): void } | null> {
  const config = await context.configs.get(namespaceId);
  const mode = config?.version?.config.game_modes[pair.gameMode];
  if (!config?.version || !mode?.regions.includes(pair.region)) return null;
  const permit = createStartPermit(context, { namespaceId, client: null });
  const lobbyId = context.newId();
  permit.ask(config.version.versionId, [pair], lobbyId);
  if (permit.blockedBy()) return null;
  const codes = drawCodes(context, config.version, pair, longerBy);
  const lobby = newLobby(lobbyId, config.version, pair, { tags: {}, maxPlayers: null }, { codes });
  return { lobby, revision: config.revision, settle: permit.settle };
}
