import type { OwnServers } from "./own-servers.ts";
import type { SuperviseParts } from "./parts.ts";
import type { StopServer } from "./stop-server.ts";

/**
 * Compares the lobby of a server of this node with the engine: a Redis that failed over may have lost that a lobby was
 * created, ended or assigned. Assigns the lobby to this node if it has no node; stops the server if it has no lobby.
 */
export async function reconcileServer(
  { engine, log, now, ownLobbies }: SuperviseParts,
  own: OwnServers,
  stopServer: StopServer,
  { namespaceId, lobbyId }: { readonly namespaceId: string; readonly lobbyId: string },
): Promise<void> {
  const at = { namespaceId, lobbyId, now: now() };
  const lobby = await engine.read({ type: "lobby", ...at });
  if (!own.namespaceIds.has(lobbyId)) return;
  if (lobby && lobby.status !== "stopped") {
    if (own.isOwn(lobby)) return;
    const { nodeId } = ownLobbies;
    const isPlaced = lobby.nodeId === null && (await engine.execute({ type: "placeLobby", ...at, nodeId })).ok;
    if (isPlaced) return;
  }
  log.warn(
    { lobby_id: lobbyId, namespace_id: namespaceId },
    "stopping orphaned lobby server: its lobby no longer exists",
  );
  stopServer(lobbyId, lobby);
}
