import { checkOrigin } from "../auth/authenticate.ts";
import { refuseBlocked } from "../cloud/blocks.ts";
import type { Context } from "../context.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { LobbyDirectory, RoutedLobby } from "./lobby-directory.ts";

/** Where the gateway connects to for one port of a lobby. */
export interface LobbyRoute {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly protocol: "http" | "ws";
  /** Connections that the lobby, and one client of it, may have at the same time. */
  readonly connectionsMax: number;
  readonly clientConnectionsMax: number;
  readonly target: LobbyTarget;
  /** Under which the service is reached, if another process asks. */
  readonly hosts?: readonly string[];
}

/** The lobby's own port on this machine, or the node that runs it. */
export type LobbyTarget =
  | { readonly kind: "lobby"; readonly host: string; readonly port: number }
  | { readonly kind: "node"; readonly url: string };

/** Who wants to reach a lobby. */
interface Visitor {
  /** The key under which the client is counted and blocked. */
  readonly client: string;
  readonly origin: string | undefined;
  /** It came from this machine without a proxy. */
  readonly isLocal: boolean;
}

/** What the gateway asks about lobbies. */
export interface Routes {
  find(lobbyId: string, label: string): Promise<LobbyRoute | Refusal>;
  /** Whether the lobby's namespace serves the client and accepts its page; null: it does. */
  admit(route: LobbyRoute, visitor: Visitor): Promise<Refusal | null>;
  /** Whether the client has a taken seat in the lobby. */
  hasSeat(route: Pick<LobbyRoute, "lobbyId" | "namespaceId">, client: string): Promise<boolean>;
  /** Whether the namespace has blocked the client meanwhile. */
  isBlocked(exchange: { lobbyId: string; namespaceId: string; client: string }): Promise<boolean>;
  /** Calls back when a lobby has stopped. */
  onStopped(listener: (lobbyId: string) => void): void;
}

export function createRoutes(context: Context, directory: LobbyDirectory): Routes {
  const findNode = (lobby: RoutedLobby) => findLobbyNode(context, lobby);
  return {
    async find(lobbyId, label) {
      const lobby = await directory.find(lobbyId);
      if (lobby === null) return lobbyUnknown();
      const node = findNode(lobby);
      const port = lobby.ports.get(label);
      const target = node === "here" && port ? toLocalTarget(port) : toNodeTarget(node);
      return toRoute({ ...lobby, port, isStopped: lobby.stoppedAt !== null }, label, target);
    },
    async admit({ namespaceId }, { client, origin, isLocal }) {
      // What another node has changed applies here too.
      await context.db.invalidation.check();
      const config = await context.configs.get(namespaceId);
      if (config === null) return lobbyUnknown();
      const blocked = refuseBlocked(config, { id: client }, context.now());
      if (blocked !== null || origin === undefined) return blocked;
      return checkOrigin(context, namespaceId, origin, isLocal);
    },
    hasSeat: async (route, client) => (await listSeated(context, route)).includes(client),
    async isBlocked({ namespaceId, client }) {
      const config = await context.configs.get(namespaceId);
      return config?.isBlocked?.(client, context.now()) ?? false;
    },
    onStopped: directory.onStopped,
  };
}

/** The clients with a taken seat in the lobby. */
export async function listSeated(
  { engine, now }: Pick<Context, "engine" | "now">,
  { namespaceId, lobbyId }: Pick<LobbyRoute, "lobbyId" | "namespaceId">,
): Promise<string[]> {
  const players = await engine.read({ type: "players", namespaceId, lobbyId, now: now() });
  return [...new Set(players.map(({ clientId }) => clientId))];
}

/** A port of a lobby on the machine that runs it. */
export interface LocalPort {
  readonly port: number;
  readonly localHost?: string;
}

export const lobbyUnknown = () => refuse("MATCHMAKER_LOBBY_NOT_FOUND", "There is no such lobby behind the gateway.");

export const nodeUnreachable = () => refuse("API_LOBBY_UNREACHABLE", "The node that runs the lobby cannot be reached.");

export const toLocalTarget = ({ port, localHost }: LocalPort): LobbyTarget => ({
  kind: "lobby",
  host: localHost ?? "127.0.0.1",
  port,
});
export const toNodeTarget = (url: string | null): LobbyTarget | null => (url === null ? null : { kind: "node", url });

/** The route to a port of a lobby. `target` null: its node has not said where it is reached. */
export function toRoute(
  lobby: Pick<RoutedLobby, "lobbyId" | "namespaceId" | "maxPlayersDirect"> & {
    readonly isStopped: boolean;
    readonly port: { readonly protocol: "http" | "ws" } | undefined;
  },
  label: string,
  target: LobbyTarget | null,
): LobbyRoute | Refusal {
  const { lobbyId, namespaceId, maxPlayersDirect, port } = lobby;
  if (lobby.isStopped) return refuse("MATCHMAKER_LOBBY_STOPPED", `Lobby ${lobbyId} has stopped.`);
  if (port === undefined) return refuse("API_NOT_FOUND", `Lobby ${lobbyId} has no port "${label}" behind the gateway.`);
  if (target === null) return nodeUnreachable();
  return {
    lobbyId,
    namespaceId,
    protocol: port.protocol,
    connectionsMax: 4 * maxPlayersDirect + 16,
    clientConnectionsMax: maxPlayersDirect + 4,
    target,
  };
}

/** Where the lobby runs: on this node, or at the address of another; null: that node has not said where it is reached. */
export function findLobbyNode({ nodes }: Pick<Context, "nodes">, { nodeId }: RoutedLobby): "here" | string | null {
  if (nodeId === null || nodeId === nodes.ownId) return "here";
  return nodes.all().find((node) => node.nodeId === nodeId && node.isAlive)?.nodeUrl ?? null;
}
