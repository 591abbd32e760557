import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { writeUnseenEnd } from "../lobby-end.ts";
import { pickLobbies } from "../pick-lobbies.ts";
import { isUnplaced } from "./offers.ts";
import type { PlaceParts, Placer } from "./place-lobby.ts";

const nodeGone = writeUnseenEnd("The machine that ran it has been gone for too long.");

/** Places the lobbies of a namespace that have no node or a gone one, and ends those whose node is lost. */
export async function sweepLobbies(parts: PlaceParts, placer: Placer, namespaceId: string): Promise<void> {
  const { engine, nodes, now } = parts;
  for await (const lobby of pickLobbies(engine, namespaceId, now, { status: "starting", nodeId: "" })) {
    if (isUnplaced(lobby)) void placer.place(namespaceId, lobby);
  }
  const living = nodes.all().filter((node) => node.isAlive && !nodes.isLost(node.nodeId) && !nodes.isGone(node.nodeId));
  const wanted = { exceptNodeIds: living.map(({ nodeId }) => nodeId) };
  for await (const lobby of pickLobbies(engine, namespaceId, now, wanted)) {
    if (lobby.nodeId !== null && nodes.isLost(lobby.nodeId)) await endLost(parts, namespaceId, lobby);
    else if (isStartingOnGone(nodes, lobby)) void placer.place(namespaceId, lobby);
  }
}

/** A gone node cannot report that the lobby is ready, and players wait for it. One that is ready serves its players. */
export function isStartingOnGone(nodes: Nodes, { isExternal, status, nodeId }: LobbyView): boolean {
  return !isExternal && status === "starting" && nodeId !== null && nodes.isGone(nodeId);
}

async function endLost({ engine, nodes, log, now }: PlaceParts, namespaceId: string, lobby: LobbyView): Promise<void> {
  const lease = nodes.lease();
  if (lease === null) return;
  const { lobbyId, nodeId } = lobby;
  log.warn({ lobby_id: lobbyId, node_id: nodeId }, "ending a lobby: its node has been gone for too long");
  const base = { namespaceId, lobbyId, now: now(), ...lease };
  await engine.execute({ type: "stopLobby", ...base, reason: "node_lost", exit: nodeGone });
}
