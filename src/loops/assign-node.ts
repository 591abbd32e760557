import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../ground/log.ts";
import { claimOn, getsAnother } from "../ground/shares.ts";
import type { Event, LobbyView } from "../matchmaker/commands.ts";
import { placesOn, servesRegion } from "../nodes/node-places.ts";
import type { NodeStatus, Nodes } from "../nodes/nodes.ts";
import { collectErrors } from "./collect-errors.ts";
import { createOffers, isUnplaced } from "./offers.ts";
import { pickLobbies } from "./pick-lobbies.ts";

export interface Placing {
  /** Looks at every lobby: places those that nobody placed, ends those whose node is lost. Only where it holds the lease. */
  sweep(): Promise<void>;
  /** True when a sweep would find something to do that no event tells of. */
  isSweepDue(): boolean;
  /**
   * Takes lobbies that nobody has placed for a while, because the node that has the lease is gone or slow. With the lease,
   * moves those that were starting on a node that is gone.
   */
  takeOver(): Promise<void>;
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
/** Longer than the holder of the lease needs, if it is up, and shorter than the lease lasts if it is not. */
const takeOverMs = 2_000;
/** What is still starting after that is found by a sweep. */
const rememberedMs = 10 * 60_000;
/** Also when nothing seems to be missing: an event may have been lost with a Redis that failed over. */
const sweepEveryMs = 60_000;

/**
 * Chooses for every new lobby the node that runs its server: the one with the most room among those that serve its
 * region. Only the holder of the lease chooses, so the room is counted by one. The lobby is placed when that node has
 * taken it; if it does not at once, another is chosen.
 */
export function placeLobbies(parts: PlaceParts): Placing {
  const { engine, nodes, log, now } = parts;
  const recent = new Map<string, { readonly at: number; readonly namespaceId: string }[]>();
  const underWay = new Set<string>();
  /** Lobbies that are to be started, and since when they are placed as they are. */
  const starting = new Map<
    string,
    { readonly namespaceId: string; readonly lobby: LobbyView; readonly since: number }
  >();
  /** When a node was heard of last that did not take what it was offered: it is passed over until it is heard of again. */
  const silentSince = new Map<string, number>();
  const offers = createOffers(parts);
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
      if ("lobby" in next.value) hear(next.value);
    }
  }

  function hear({ type, namespaceId, lobby }: Extract<Event, { lobby: LobbyView }>): void {
    offers.heard(lobby);
    if (lobby.isExternal || lobby.status !== "starting") starting.delete(lobby.lobbyId);
    else if (starting.get(lobby.lobbyId)?.lobby.nodeId !== lobby.nodeId)
      starting.set(lobby.lobbyId, { namespaceId, lobby, since: now() });
    if (type === "lobby.created" && isUnplaced(lobby)) void place(namespaceId, lobby);
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
      await placeOn(namespaceId, lobby);
    } catch (fault) {
      log.error({ err: fault, lobby_id: lobbyId }, "a lobby could not be placed yet");
      isSweepWanted = true;
    } finally {
      underWay.delete(lobbyId);
    }
  }

  /** Offers the lobby to one node after another until one has taken it. */
  async function placeOn(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId } = lobby;
    const passedOver = new Set<string>();
    while (!isStopping) {
      const nodeId = await whenRoom({ namespaceId, region: lobby.region }, passedOver);
      // The next holder of the lease places it; that there was no room is not known.
      if (isStopping) return;
      // The node that has it has come back.
      if (lobby.nodeId !== null && !nodes.isGone(lobby.nodeId)) return;
      const fence = nodes.lease()?.fence;
      if (fence === undefined) {
        isSweepWanted = true;
        return;
      }
      if (nodeId === null) {
        if (!(await isStillUnplaced(namespaceId, lobbyId))) return;
        const base = { namespaceId, lobbyId, now: now(), fence };
        await engine.execute({ type: "stopLobby", ...base, reason: "start_failed", exit: noRoom });
        return;
      }
      const heardAt = heardAtOf(nodeId);
      const insteadOf = lobby.nodeId === null ? {} : { insteadOf: lobby.nodeId };
      if (await offers.offer(nodeId, { namespaceId, lobbyId, ...insteadOf })) return;
      passedOver.add(nodeId);
      silentSince.set(nodeId, heardAt);
      log.warn({ lobby_id: lobbyId, node_id: nodeId }, "a node did not take a lobby; it is offered to another");
    }
  }

  function heardAtOf(nodeId: string): number {
    return nodes.all().find((node) => node.nodeId === nodeId)?.heardAt ?? 0;
  }

  async function isStillUnplaced(namespaceId: string, lobbyId: string): Promise<boolean> {
    const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
    return lobby !== null && isUnplaced(lobby);
  }

  async function whenRoom(wanted: Wanted, passedOver: Set<string>): Promise<string | null> {
    for (let waitedMs = 0; waitedMs <= roomWaitMs && !isStopping; waitedMs += roomRetryMs) {
      const nodeId = choose(wanted, passedOver);
      if (nodeId === null) {
        await sleep(roomRetryMs);
        await nodes.tell();
      } else {
        noteGiven(nodeId, wanted.namespaceId);
        return nodeId;
      }
    }
    return null;
  }

  /** Nodes that may be gone are chosen only when there is no other. */
  function choose(wanted: Wanted, passedOver: Set<string>): string | null {
    const isInDoubt = ({ nodeId, isLate, heardAt }: NodeStatus) => isLate || silentSince.get(nodeId) === heardAt;
    const others = nodes.all().filter((node) => !passedOver.has(node.nodeId));
    const sure = others.filter((node) => !isInDoubt(node));
    const chosen = chooseNode(sure, wanted, recentOn, nodes.all()) ?? chooseNode(others, wanted, recentOn, nodes.all());
    // They have been asked in turn, and begin again.
    if (chosen === null) passedOver.clear();
    return chosen;
  }

  function noteGiven(nodeId: string, namespaceId: string): void {
    recent.set(nodeId, [...(recent.get(nodeId) ?? []), { at: now(), namespaceId }]);
  }

  function recentOn(nodeId: string): readonly string[] {
    const given = (recent.get(nodeId) ?? []).filter(({ at }) => at > now() - recentMs);
    recent.set(nodeId, given);
    return given.map(({ namespaceId }) => namespaceId);
  }

  /** Nobody can say that it is ready, and whoever waits for it would wait in vain; one that is ready serves its players. */
  function isStartingOnGone({ isExternal, status, nodeId }: LobbyView): boolean {
    return !isExternal && status === "starting" && nodeId !== null && nodes.isGone(nodeId);
  }

  function isRoomHere(wanted: Wanted): boolean {
    const own = nodes.all().filter((node) => node.nodeId === nodes.ownId);
    return chooseNode(own, wanted, recentOn, nodes.all()) !== null;
  }

  async function sweepNamespace(namespaceId: string): Promise<void> {
    for await (const lobby of pickLobbies(engine, namespaceId, now, { status: "starting", nodeId: "" })) {
      if (isUnplaced(lobby)) void place(namespaceId, lobby);
    }
    const livingIds = nodes
      .all()
      .filter((node) => node.isAlive && !nodes.isLost(node.nodeId) && !nodes.isGone(node.nodeId));
    const wanted = { exceptNodeIds: livingIds.map(({ nodeId }) => nodeId) };
    for await (const lobby of pickLobbies(engine, namespaceId, now, wanted)) {
      if (lobby.nodeId !== null && nodes.isLost(lobby.nodeId)) await end(namespaceId, lobby);
      else if (isStartingOnGone(lobby)) void place(namespaceId, lobby);
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
        const errors = collectErrors();
        for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
          await sweepNamespace(namespaceId).catch(errors.add);
        }
        errors.throwFirst();
        for (const { nodeId } of gone) await nodes.forget(nodeId);
        sweptAt = now();
      } catch (fault) {
        isSweepWanted = true;
        throw fault;
      }
    },
    async takeOver() {
      for (const [lobbyId, { namespaceId, lobby, since }] of starting) {
        const forMs = now() - since;
        if (forMs > rememberedMs) starting.delete(lobbyId);
        if (nodes.lease() !== null && isStartingOnGone(lobby)) void place(namespaceId, lobby);
        if (lobby.nodeId !== null || forMs < takeOverMs) continue;
        if (!underWay.has(lobbyId) && nodes.ownId !== null && isRoomHere({ namespaceId, region: lobby.region })) {
          noteGiven(nodes.ownId, namespaceId);
          if (await offers.take({ namespaceId, lobbyId })) starting.delete(lobbyId);
        }
      }
    },
    async stop() {
      isStopping = true;
      offers.stop();
      await events.return?.();
      await listening;
    },
  };
}

/** What a node said of itself, as far as it matters here. */
type Told = Omit<NodeStatus, "isLate" | "heardAt">;

/** A lobby that a node is to run. */
interface Wanted {
  readonly namespaceId: string;
  readonly region: string;
}

/**
 * Null: none of the nodes serves the region and has room for the namespace. `recentOn`: whose lobbies a node was given
 * lately; `all`: those of which each knows who asked it for lobbies.
 */
export function chooseNode(
  nodes: readonly Told[],
  { namespaceId, region }: Wanted,
  recentOn: (nodeId: string) => readonly string[],
  all: readonly Told[] = nodes,
): string | null {
  let best: { nodeId: string; room: number } | null = null;
  for (const node of nodes) {
    if (!node.isAlive || !servesRegion(node, region)) continue;
    const recent = recentOn(node.nodeId);
    const taking = { all: recent.length, own: recent.filter((of) => of === namespaceId).length };
    const room = node.room - taking.all;
    if (room <= (best?.room ?? 0)) continue;
    if (getsAnother(claimOn(placesOn(node, all), namespaceId, taking))) best = { nodeId: node.nodeId, room };
  }
  return best?.nodeId ?? null;
}

const noRoom = endText("No node that serves its region had room for it.", { isNoFault: true });
const nodeGone = endText("The machine that ran it has been gone for too long.");

function endText(message: string, more: { readonly isNoFault?: boolean } = {}): string {
  return JSON.stringify({ code: null, signal: null, message, log: "", ...more });
}
