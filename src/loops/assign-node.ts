import { isLobbyEvent } from "../engine/engine.ts";
import type { Event, LobbyView } from "../matchmaker/commands.ts";
import { collectErrors } from "./collect-errors.ts";
import { createNodeChoice, type NodeChoice } from "./placement/choose-node.ts";
import { createOffers, isUnplaced, type Offers } from "./placement/offers.ts";
import type { PlaceParts } from "./placement/parts.ts";
import { createPlacer, type Placer } from "./placement/place-lobby.ts";
import { isStartingOnDownNode, sweepLobbies } from "./placement/sweep-lobbies.ts";

export interface Placing {
  /** Goes through all lobbies: assigns those without a node, ends those whose node is lost. Only with the lease. */
  sweep(): Promise<void>;
  /** True when a sweep would find something to do that no event shows. */
  isSweepDue(): boolean;
  /**
   * Takes lobbies that have had no node for a while, because the lease holder is down or slow. With the lease, moves
   * those that were starting on a node that is down.
   */
  takeOver(): Promise<void>;
  /** There may be lobbies that no event showed. */
  expectMore(): void;
  stop(): Promise<void>;
}

/** Longer than a running lease holder needs, and shorter than the lease of a dead one lasts. */
const takeOverMs = 2_000;
/** A sweep finds what is still starting after that. */
const rememberedMs = 10 * 60_000;
/** Also when nothing seems to be missing: an event may have been lost with a Redis that failed over. */
const sweepEveryMs = 60_000;

/**
 * Chooses for every new lobby the node that runs its server: the one with the most free slots among those that serve
 * its region and have its build. Only the lease holder chooses, so one node counts the slots. The lobby is assigned when the chosen node
 * has accepted it; if it does not accept in time, another is chosen.
 */
export function placeLobbies(parts: PlaceParts): Placing {
  const { engine, nodes, now } = parts;
  const starting: StartingLobbies = new Map();
  const offers = createOffers(parts);
  const choice = createNodeChoice(parts);
  let isSweepWanted = false;
  let sweptAt = Number.NEGATIVE_INFINITY;
  const wantSweep = () => {
    isSweepWanted = true;
  };
  const placer = createPlacer(parts, { offers, choice, wantSweep });
  const events = engine.events(isLobbyEvent)[Symbol.asyncIterator]();
  nodes.onLease(wantSweep);
  const listening = listen();

  async function listen(): Promise<void> {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if ("lobby" in next.value) handleEvent(next.value);
    }
  }

  function handleEvent({ type, namespaceId, lobby }: Extract<Event, { lobby: LobbyView }>): void {
    offers.lobbyChanged(lobby);
    placer.lobbyChanged(lobby);
    if (lobby.isExternal || lobby.status !== "starting") starting.delete(lobby.lobbyId);
    else if (starting.get(lobby.lobbyId)?.lobby.nodeId !== lobby.nodeId)
      starting.set(lobby.lobbyId, { namespaceId, lobby, since: now() });
    if (type === "lobby.created" && isUnplaced(lobby)) void placer.place(namespaceId, lobby);
  }

  const lostNodes = () => nodes.all().filter((node) => nodes.isLost(node.nodeId));

  return {
    isSweepDue() {
      const isTime = now() - sweptAt > sweepEveryMs;
      return nodes.lease() !== null && (isSweepWanted || isTime || lostNodes().length > 0);
    },
    expectMore: wantSweep,
    async sweep() {
      if (nodes.lease() === null) return;
      isSweepWanted = false;
      const lost = lostNodes();
      try {
        const errors = collectErrors();
        for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
          await sweepLobbies(parts, placer, namespaceId).catch(errors.add);
        }
        errors.throwFirst();
        for (const { nodeId } of lost) await nodes.forget(nodeId);
        sweptAt = now();
      } catch (error) {
        isSweepWanted = true;
        throw error;
      }
    },
    takeOver: () => takeOver(parts, { starting, placer, choice, offers }),
    async stop() {
      placer.stop();
      offers.stop();
      await events.return?.();
      await listening;
    },
  };
}

/** Lobbies that have to be started, and since when they have had their current node or none. */
type StartingLobbies = Map<string, { readonly namespaceId: string; readonly lobby: LobbyView; readonly since: number }>;

async function takeOver(
  { nodes, now, buildOf }: PlaceParts,
  work: { starting: StartingLobbies; placer: Placer; choice: NodeChoice; offers: Offers },
): Promise<void> {
  const { starting, placer, choice, offers } = work;
  for (const [lobbyId, { namespaceId, lobby, since }] of starting) {
    const forMs = now() - since;
    if (forMs > rememberedMs) starting.delete(lobbyId);
    if (nodes.lease() !== null && isStartingOnDownNode(nodes, lobby)) void placer.place(namespaceId, lobby);
    if (lobby.nodeId !== null || forMs < takeOverMs) continue;
    if (placer.isPlacing(lobbyId)) continue;
    const wanted = { namespaceId, region: lobby.region, buildId: await buildOf(namespaceId, lobby) };
    if (!choice.hasRoomHere(wanted)) continue;
    choice.noteGiven(nodes.ownId, namespaceId);
    if (await offers.take({ namespaceId, lobbyId })) starting.delete(lobbyId);
  }
}
