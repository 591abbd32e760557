import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../log.ts";
import type { LobbyView } from "../matchmaker/commands.ts";
import type { NodeStatus, Nodes } from "../nodes/nodes.ts";
import { livingLobbies } from "./living-lobbies.ts";

export interface Placing {
  /** Looks at every lobby: places those that nobody placed, ends those whose node is lost. Only where it holds the lease. */
  sweep(): Promise<void>;
  /** True when a sweep would find something to do that no event tells of. */
  isSweepDue(): boolean;
  /** There may be lobbies that no event told of. */
  expectMore(): void;
  stop(): Promise<void>;
}

export interface PlaceParts {
  readonly engine: Engine;
  readonly nodes: Nodes;
  readonly log: Logger;
  now(): number;
}

/** What a node was given lately may not be in what it says of itself yet. */
export const recentMs = 2_500;
/** A node that says it is full may have said so before something ended. */
const roomWaitMs = 5_000;
const roomRetryMs = 250;
/** Also when nothing seems to be missing: an event may have been lost with a Redis that failed over. */
const sweepEveryMs = 60_000;

/**
 * Chooses for every new lobby the node that runs its server: the one with the most room among those that serve its
 * region. Only the holder of the lease chooses, so the room is counted by one.
 */
export function placeLobbies(parts: PlaceParts): Placing {
  const { engine, nodes, log, now } = parts;
  const recent = new Map<string, number[]>();
  const underWay = new Set<string>();
  const events = engine.events()[Symbol.asyncIterator]();
  let isSweepWanted = false;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let isStopping = false;
  nodes.onLease(() => {
    isSweepWanted = true;
  });
  const listening = listen();

  async function listen(): Promise<void> {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const event = next.value;
      if (event.type === "lobby.created" && isUnplaced(event.lobby)) void place(event.namespaceId, event.lobby);
    }
  }

  async function place(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId } = lobby;
    if (underWay.has(lobbyId)) return;
    // A node that gets the lease later looks at everything then, also this one after it was not sure for a moment.
    if (nodes.lease() === null) {
      isSweepWanted = true;
      return;
    }
    underWay.add(lobbyId);
    try {
      const nodeId = await whenRoom(lobby.region);
      const fence = nodes.lease()?.fence;
      if (fence === undefined) {
        isSweepWanted = true;
        return;
      }
      const base = { namespaceId, lobbyId, now: now(), fence };
      if (nodeId !== null) await engine.execute({ type: "placeLobby", ...base, nodeId });
      else if (await isStillUnplaced(namespaceId, lobbyId))
        await engine.execute({ type: "stopLobby", ...base, reason: "start_failed", exit: noRoom });
    } catch (fault) {
      log.error({ err: fault, lobby_id: lobbyId }, "a lobby could not be placed yet");
      isSweepWanted = true;
    } finally {
      underWay.delete(lobbyId);
    }
  }

  async function isStillUnplaced(namespaceId: string, lobbyId: string): Promise<boolean> {
    const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
    return lobby !== null && isUnplaced(lobby);
  }

  async function whenRoom(region: string): Promise<string | null> {
    for (let waitedMs = 0; waitedMs <= roomWaitMs && !isStopping; waitedMs += roomRetryMs) {
      const nodeId = chooseNode(nodes.all(), region, recentOn);
      if (nodeId === null) {
        await sleep(roomRetryMs);
        await nodes.tell();
      } else {
        recent.set(nodeId, [...(recent.get(nodeId) ?? []), now()]);
        return nodeId;
      }
    }
    return null;
  }

  function recentOn(nodeId: string): number {
    const times = (recent.get(nodeId) ?? []).filter((at) => at > now() - recentMs);
    recent.set(nodeId, times);
    return times.length;
  }

  async function sweepNamespace(namespaceId: string, lost: (nodeId: string) => boolean): Promise<void> {
    for await (const lobby of livingLobbies(engine, namespaceId, now)) {
      if (isUnplaced(lobby)) void place(namespaceId, lobby);
      else if (lobby.nodeId !== null && lost(lobby.nodeId)) await end(namespaceId, lobby);
    }
  }

  async function end(namespaceId: string, lobby: LobbyView): Promise<void> {
    const fence = nodes.lease()?.fence;
    if (fence === undefined) return;
    const { lobbyId, nodeId } = lobby;
    log.warn({ lobby_id: lobbyId, node_id: nodeId }, "a lobby is ended because its node has been gone for too long");
    await engine.execute({
      type: "stopLobby",
      namespaceId,
      lobbyId,
      now: now(),
      fence,
      reason: "node_lost",
      exit: nodeGone,
    });
  }

  const lostNodes = () => nodes.all().filter((node) => nodes.isLost(node.nodeId));

  return {
    isSweepDue() {
      const isTime = now() - sweptAt > sweepEveryMs;
      return nodes.lease() !== null && (isSweepWanted || isTime || lostNodes().length > 0);
    },
    expectMore() {
      isSweepWanted = true;
    },
    async sweep() {
      if (nodes.lease() === null) return;
      isSweepWanted = false;
      const gone = lostNodes();
      try {
        for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
          await sweepNamespace(namespaceId, nodes.isLost);
        }
        for (const { nodeId } of gone) await nodes.forget(nodeId);
        sweptAt = now();
      } catch (fault) {
        isSweepWanted = true;
        throw fault;
      }
    },
    async stop() {
      isStopping = true;
      await events.return?.();
      await listening;
    },
  };
}

function isUnplaced(lobby: LobbyView): boolean {
  return !lobby.isExternal && lobby.nodeId === null && lobby.status === "starting";
}

/** Null: nobody serves the region and has room. */
export function chooseNode(
  nodes: readonly NodeStatus[],
  region: string,
  recentOn: (nodeId: string) => number,
): string | null {
  let best: { nodeId: string; room: number } | null = null;
  for (const { nodeId, regions, room: told, isAlive } of nodes) {
    if (!isAlive || (regions !== null && !regions.includes(region))) continue;
    const room = told - recentOn(nodeId);
    if (room > 0 && (best === null || room > best.room)) best = { nodeId, room };
  }
  return best?.nodeId ?? null;
}

const noRoom = endText("No node that serves its region had room for it.", { isNoFault: true });
const nodeGone = endText("The machine that ran it has been gone for too long.");

function endText(message: string, more: { readonly isNoFault?: boolean } = {}): string {
  return JSON.stringify({ code: null, signal: null, message, log: "", ...more });
}
