import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../ground/log.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Nodes, OfferedLobby } from "../../nodes/nodes.ts";

/**
 * Offers lobbies to nodes, which accept them. A node that is down accepts nothing, and the first node that accepts a
 * lobby runs it.
 */
export interface Offers {
  /**
   * True: a node has accepted the lobby, or the lobby has ended. False: that node did not accept it in time, and
   * another may.
   */
  offer(nodeId: string, lobby: OfferedLobby): Promise<boolean>;
  /** This node accepts the lobby, unless another has. False: the engine did not answer. */
  take(lobby: OfferedLobby): Promise<boolean>;
  /** Call it with every lobby that has changed. */
  lobbyChanged(lobby: LobbyView): void;
  stop(): void;
}

export interface OfferParts {
  readonly engine: Engine;
  readonly nodes: Nodes;
  readonly log: Logger;
  now(): number;
}

/** A running node accepts a lobby within milliseconds; on a busy machine another node gets it a little later. */
const offerMs = 1_000;

export function createOffers({ engine, nodes, log, now }: OfferParts): Offers {
  const waiting = new Map<string, (lobby: LobbyView) => void>();
  let isStopping = false;
  nodes.onOffer((lobby) => void take(lobby));

  async function take(lobby: OfferedLobby): Promise<boolean> {
    if (isStopping) return false;
    try {
      // Refused: another node has it, or it has ended. Accepted: the event makes the supervisor start its server here.
      await engine.execute({ type: "placeLobby", ...lobby, now: now(), nodeId: nodes.ownId });
      return true;
    } catch (err) {
      const message = "this node could not accept a lobby that was offered to it; another node may accept it";
      log.warn({ err, lobby_id: lobby.lobbyId }, message);
      return false;
    }
  }

  return {
    async offer(nodeId, lobby) {
      const { namespaceId, lobbyId, insteadOf = null } = lobby;
      const isSettled = (seen: LobbyView) => seen.status !== "starting" || seen.nodeId !== insteadOf;
      let timer: NodeJS.Timeout | undefined;
      const answered = new Promise<boolean>((resolve) => {
        timer = setTimeout(resolve, offerMs, false);
        waiting.set(lobbyId, (seen) => isSettled(seen) && resolve(true));
      });
      try {
        await nodes.offer(nodeId, lobby);
        if (await answered) return true;
        // The event may have been lost.
        const found = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
        return found === null || isSettled(found);
      } finally {
        clearTimeout(timer);
        waiting.delete(lobbyId);
      }
    },
    take,
    lobbyChanged(lobby) {
      waiting.get(lobby.lobbyId)?.(lobby);
    },
    stop() {
      isStopping = true;
    },
  };
}

export function isUnplaced(lobby: LobbyView): boolean {
  return !lobby.isExternal && lobby.nodeId === null && lobby.status === "starting";
}
