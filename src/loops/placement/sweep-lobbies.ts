import { pickLobbies } from "../../engine/pick-lobbies.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { writeUnseenEnd } from "../lobby-end.ts";
import { isUnplaced } from "./offers.ts";
import type { PlaceParts } from "./parts.ts";
import type { Placer } from "./place-lobby.ts";

const nodeDown = writeUnseenEnd("The node that ran it has been down for too long.");

/** Assigns the lobbies of a namespace that have no node or one that is down, and ends those whose node is lost. */
export async function sweepLobbies(parts: PlaceParts, placer: Placer, namespaceId: string): Promise<void> {
  const { engine, nodes, now } = parts;
  for await (const lobby of pickLobbies(engine, namespaceId, now, { status: "starting", nodeId: "" })) {
    if (isUnplaced(lobby)) void placer.place(namespaceId, lobby);
  }
  const living = nodes.all().filter((node) => node.isAlive && !nodes.isLost(node.nodeId) && !nodes.isDown(node.nodeId));
  const wanted = { exceptNodeIds: living.map(({ nodeId }) => nodeId) };
  for await (const lobby of pickLobbies(engine, namespaceId, now, wanted)) {
    if (lobby.nodeId !== null && nodes.isLost(lobby.nodeId)) await endLost(parts, namespaceId, lobby);
    else if (isStartingOnDownNode(nodes, lobby)) void placer.place(namespaceId, lobby);
  }
}

/**
 * A node that is down cannot report that the lobby is ready, and players wait for it. A ready lobby still serves its
 * players.
 */
export function isStartingOnDownNode(nodes: Nodes, { isExternal, status, nodeId }: LobbyView): boolean {
  return !isExternal && status === "starting" && nodeId !== null && nodes.isDown(nodeId);
}

async function endLost({ engine, nodes, log, now }: PlaceParts, namespaceId: string, lobby: LobbyView): Promise<void> {
  const lease = nodes.lease();
  if (lease === null) return;
  const { lobbyId, nodeId } = lobby;
  log.warn({ lobby_id: lobbyId, node_id: nodeId }, "ending a lobby: its node has been down for too long");
  const base = { namespaceId, lobbyId, now: now(), ...lease };
  await engine.execute({ type: "stopLobby", ...base, reason: "node_lost", exit: nodeDown });
}
