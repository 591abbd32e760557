import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../ground/log.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Nodes, OfferedLobby } from "../../nodes/nodes.ts";

/** Lobbies are offered to nodes, which take them: one that is gone takes nothing, and the first to take a lobby has it. */
export interface Offers {
  /** True: a node has taken the lobby, or it has ended. False: that node did not take it in time, and another may. */
  offer(nodeId: string, lobby: OfferedLobby): Promise<boolean>;
  /** This node takes the lobby, unless another has. False: it could not find out. */
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

/** A node that is up takes a lobby in milliseconds; on a busy machine another node may have it a little later. */
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
      const message = "this node could not take a lobby that was offered to it; another node may";
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
