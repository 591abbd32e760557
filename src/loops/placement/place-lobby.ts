import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../ground/log.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Lease, Nodes } from "../../nodes/nodes.ts";
import { writeUnseenEnd } from "../lobby-end.ts";
import type { NodeChoice, WantedLobby } from "./choose-node.ts";
import { isUnplaced, type Offers } from "./offers.ts";

/** What assigning lobbies needs. */
export interface PlaceParts {
  readonly engine: Engine;
  readonly nodes: Nodes;
  readonly log: Logger;
  now(): number;
}

/** Assigns lobbies to nodes, one at a time. */
export interface Placer {
  /** Without the lease, or after an error, it leaves the lobby to the next sweep. */
  place(namespaceId: string, lobby: LobbyView): Promise<void>;
  isPlacing(lobbyId: string): boolean;
  stop(): void;
}

/** A status that shows a full node may be older than the end of a lobby. */
const roomWaitMs = 5_000;
const roomRetryMs = 250;
const noRoom = writeUnseenEnd("No node that serves its region had a free slot.", { isNoFault: true });

/** `wantSweep`: called when a lobby was left without a node. */
export function createPlacer(
  { engine, nodes, log, now }: PlaceParts,
  { offers, choice, wantSweep }: { offers: Offers; choice: NodeChoice; wantSweep(): void },
): Placer {
  const placing = new Set<string>();
  let isStopping = false;

  /** Offers the lobby to one node after another until one accepts it. */
  async function offerInTurn(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId } = lobby;
    const passedOver = new Set<string>();
    while (!isStopping) {
      const nodeId = await waitForRoom({ namespaceId, region: lobby.region }, passedOver);
      // The next lease holder assigns it: whether there was a free slot is not known.
      if (isStopping) return;
      // The node that had it is reachable again.
      if (lobby.nodeId !== null && !nodes.isDown(lobby.nodeId)) return;
      const lease = nodes.lease();
      if (lease === null) return wantSweep();
      if (nodeId === null) return endUnplaced(namespaceId, lobbyId, lease);
      const statusAt = choice.statusAt(nodeId);
      const insteadOf = lobby.nodeId === null ? {} : { insteadOf: lobby.nodeId };
      if (await offers.offer(nodeId, { namespaceId, lobbyId, ...insteadOf })) return;
      passedOver.add(nodeId);
      choice.noteSilent(nodeId, statusAt);
      log.warn({ lobby_id: lobbyId, node_id: nodeId }, "a node did not accept a lobby; offering it to another node");
    }
  }

  /** Null: no node had a free slot during the whole waiting time. */
  async function waitForRoom(wanted: WantedLobby, passedOver: Set<string>): Promise<string | null> {
    for (let waitedMs = 0; waitedMs <= roomWaitMs && !isStopping; waitedMs += roomRetryMs) {
      const nodeId = choice.choose(wanted, passedOver);
      if (nodeId !== null) {
        choice.noteGiven(nodeId, wanted.namespaceId);
        return nodeId;
      }
      await sleep(roomRetryMs);
      await nodes.report();
    }
    return null;
  }

  async function endUnplaced(namespaceId: string, lobbyId: string, lease: Lease): Promise<void> {
    const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
    if (lobby === null || !isUnplaced(lobby)) return;
    const base = { namespaceId, lobbyId, now: now(), ...lease };
    await engine.execute({ type: "stopLobby", ...base, reason: "start_failed", exit: noRoom });
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
      }
    },
    isPlacing: (lobbyId) => placing.has(lobbyId),
    stop() {
      isStopping = true;
    },
  };
}
