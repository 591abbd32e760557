import { createHoldings, type Holdings, type NodePlaces } from "../ground/shares.ts";
import { recentMs } from "../loops/placement/choose-node.ts";
import { askText, placesOn, servesRegion } from "../nodes/node-places.ts";
import type { NodeStatus, Nodes, OwnStatus } from "../nodes/nodes.ts";
import { createStartSlots, type StartSlots } from "../operations/capacity/start-slots.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** A driver without a limit has Infinity, which JSON cannot express. */
const roomMax = 1_000_000;

/** The slots for lobby processes on this node, and which namespaces hold them. */
export interface LobbyRoom {
  /** Whether this node starts lobbies at all. */
  readonly startsLobbies: boolean;
  /** What this node reports to the others. */
  status(): Pick<OwnStatus, "room" | "places" | "held" | "asked">;
  /** The slots of this node as they are at any moment. */
  readonly own: NodePlaces;
  /** Records that a namespace wants a slot. */
  ask(region: string, namespaceId: string): void;
}

/** `holdings`: which namespaces the driver's processes belong to. */
export function createLobbyRoom(runtime: Runtime | null, holdings: Holdings, now: () => number): LobbyRoom {
  const asks = createHoldings();
  const asked = () => [...asks.counts(now()).keys()];
  const roomHere = () => runtime?.room() ?? 0;
  const placesIn = (room: number) => Math.max(0, room) + holdings.total();
  const here = { isAlive: true, regions: null, room: 0, places: 0 };

  return {
    startsLobbies: runtime !== null,
    status() {
      const room = Math.min(roomHere(), roomMax);
      return { room, places: placesIn(room), held: holdings.counts(now()), asked: asked() };
    },
    own: {
      get places() {
        return placesIn(roomHere());
      },
      get free() {
        return roomHere();
      },
      heldBy: holdings.heldBy,
      claimants(namespaceId) {
        const status = { ...here, held: holdings.counts(now()), asked: asked() };
        return placesOn(status, [status]).claimants(namespaceId);
      },
    },
    ask: (region, namespaceId) => asks.note(askText(region, namespaceId), now()),
  };
}

/** The slots of a single node, which always knows how many are free. */
export function openOwnSlots({ startsLobbies, own, ask }: LobbyRoom): StartSlots {
  return createStartSlots({
    isPossible: startsLobbies,
    describeShortage: () =>
      `This machine runs ${own.places} lobbies, the maximum. Raise FOYER_MAX_LOBBY_PROCESSES to allow more.`,
    nodesFor: () => [own],
    poolFor: () => "",
    countedAfterMs: null,
    ask,
  });
}

/** The slots of all nodes, as they last reported. */
export function openSharedSlots({ ask }: LobbyRoom, nodes: Nodes): StartSlots {
  const nodesFor = placesByRegion(nodes);
  // A node without regions of its own serves all of them, so all regions share its slots.
  const poolFor = (region: string) => (nodes.all().some((node) => node.regions !== null) ? region : "");
  // A node that starts lobbies may join later.
  const describe = (region: string) => describeShortage(nodes, region);
  const options = { isPossible: true, describeShortage: describe, nodesFor, poolFor };
  return createStartSlots({ ...options, countedAfterMs: recentMs, ask });
}

function describeShortage(nodes: Nodes, region: string): string {
  const isServed = nodes.all().some((node) => node.isAlive && servesRegion(node, region));
  return isServed
    ? `No node of the region ${region} has a free slot. Raise FOYER_MAX_LOBBY_PROCESSES of a node, or add a node.`
    : `No running node serves the region ${region}. FOYER_NODE_REGIONS sets the regions of a node.`;
}

/** Each node reports its slots regularly; between two reports the result is kept. */
function placesByRegion(nodes: Nodes): (region: string) => readonly NodePlaces[] {
  let reported: readonly NodeStatus[] | null = null;
  const byRegion = new Map<string, readonly NodePlaces[]>();
  return (region) => {
    const all = nodes.all();
    if (all !== reported) byRegion.clear();
    reported = all;
    const known = byRegion.get(region);
    if (known) return known;
    const serving = all.filter((node) => node.isAlive && servesRegion(node, region));
    const places = serving.map((node) => placesOn(node, all));
    byRegion.set(region, places);
    return places;
  };
}
