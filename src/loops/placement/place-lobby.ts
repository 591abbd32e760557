import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Lease } from "../../nodes/nodes.ts";
import type { NodeChoice } from "./choose-node.ts";
import { isUnplaced, type Offers } from "./offers.ts";
import type { PlaceParts } from "./parts.ts";
import { waitForNode } from "./wait-for-node.ts";

/** Assigns lobbies to nodes, one at a time. */
export interface Placer {
  /** Without the lease, or after an error, it leaves the lobby to the next sweep. */
  place(namespaceId: string, lobby: LobbyView): Promise<void>;
  isPlacing(lobbyId: string): boolean;
  /** Call it with every lobby that has changed: one that has ended is no longer placed. */
  lobbyChanged(lobby: LobbyView): void;
  stop(): void;
}

/** `wantSweep`: called when a lobby was left without a node. */
export function createPlacer(
  parts: PlaceParts,
  { offers, choice, wantSweep }: { offers: Offers; choice: NodeChoice; wantSweep(): void },
): Placer {
  const { engine, nodes, log, now } = parts;
  const placing = new Set<string>();
  const ended = new Set<string>();
  let isStopping = false;

  /** Offers the lobby to one node after another until one accepts it. */
  async function offerInTurn(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId } = lobby;
    const passedOver = new Set<string>();
    while (!isStopping) {
      const isOver = () => isStopping || ended.has(lobbyId);
      const found = await waitForNode(parts, choice, { namespaceId, lobby, passedOver, isOver });
      // The next lease holder assigns it: whether there was a free slot is not known.
      if (isOver()) return;
      // The node that had it is reachable again.
      if (lobby.nodeId !== null && !nodes.isDown(lobby.nodeId)) return;
      const lease = nodes.lease();
      if (lease === null || found === null) return wantSweep();
      if ("exit" in found) return endUnplaced(namespaceId, lobbyId, lease, found.exit);
      const { nodeId } = found;
      const statusAt = choice.statusAt(nodeId);
      const insteadOf = lobby.nodeId === null ? {} : { insteadOf: lobby.nodeId };
      if (await offers.offer(nodeId, { namespaceId, lobbyId, ...insteadOf })) return;
      passedOver.add(nodeId);
      choice.noteSilent(nodeId, statusAt);
      log.warn({ lobby_id: lobbyId, node_id: nodeId }, "a node did not accept a lobby; offering it to another node");
    }
  }

  async function endUnplaced(namespaceId: string, lobbyId: string, lease: Lease, exit: string): Promise<void> {
    const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
    if (lobby === null || !isUnplaced(lobby)) return;
    const base = { namespaceId, lobbyId, now: now(), ...lease };
    await engine.execute({ type: "stopLobby", ...base, reason: "start_failed", exit });
  }

  return {
    async place(namespaceId, lobby) {
      const { lobbyId } = lobby;
      if (placing.has(lobbyId)) return;
      // The node that gets the lease next sweeps, which may be this one again.
      if (nodes.lease() === null) return wantSweep();
      placing.add(lobbyId);
      try {
        await offerInTurn(namespaceId, lobby);
      } catch (error) {
        log.error({ err: error, lobby_id: lobbyId }, "a lobby could not be assigned to a node; Foyer tries again");
        wantSweep();
      } finally {
        placing.delete(lobbyId);
        ended.delete(lobbyId);
      }
    },
    isPlacing: (lobbyId) => placing.has(lobbyId),
    lobbyChanged({ lobbyId, status }) {
      if (status !== "starting" && placing.has(lobbyId)) ended.add(lobbyId);
    },
    stop() {
      isStopping = true;
    },
  };
}
