import { createHoldings, type Holdings, type NodePlaces } from "../ground/shares.ts";
import { recentMs } from "../loops/placement/choose-node.ts";
import { askText, placesOn, servesRegion } from "../nodes/node-places.ts";
import type { NodeStatus, Nodes, OwnStatus } from "../nodes/nodes.ts";
import { createStartSlots, type StartSlots } from "../operations/capacity/start-slots.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** A driver without a limit says so by Infinity, which JSON does not know. */
const roomMax = 1_000_000;

/** The room for lobby processes on this node and on the others, and who has it. */
export interface LobbyRoom {
  /** What the other nodes are told. */
  status(): Pick<OwnStatus, "room" | "places" | "held" | "asked">;
  openSlots(nodes: Nodes): StartSlots;
}

/** `holdings`: which namespaces the driver's processes belong to. */
export function createLobbyRoom(runtime: Runtime | null, holdings: Holdings, now: () => number): LobbyRoom {
  const asks = createHoldings();
  const ask = (region: string, namespaceId: string) => asks.note(askText(region, namespaceId), now());
  const asked = () => [...asks.counts(now()).keys()];
  const roomHere = () => runtime?.room() ?? 0;
  const placesIn = (room: number) => Math.max(0, room) + holdings.total();

  /** The only node knows its room at any moment. */
  function openAlone(): StartSlots {
    const here = { isAlive: true, regions: null, room: 0, places: 0 };
    const own: NodePlaces = {
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
    };
    return createStartSlots({ nodesOf: () => [own], poolOf: () => "", countedAfterMs: null, ask });
  }

  return {
    status() {
      const room = Math.min(roomHere(), roomMax);
      return { room, places: placesIn(room), held: holdings.counts(now()), asked: asked() };
    },
    openSlots(nodes) {
      if (nodes.ownId === null) return openAlone();
      const nodesOf = placesByRegion(nodes);
      // A node without regions of its own serves all of them, and then they share what room there is.
      const poolOf = (region: string) => (nodes.all().some((node) => node.regions !== null) ? region : "");
      return createStartSlots({ nodesOf, poolOf, countedAfterMs: recentMs, ask });
    },
  };
}

/** Of several nodes each says now and then what it has for its regions; in between the answer is the same. */
function placesByRegion(nodes: Nodes): (region: string) => readonly NodePlaces[] {
  let heard: readonly NodeStatus[] | null = null;
  const byRegion = new Map<string, readonly NodePlaces[]>();
  return (region) => {
    const all = nodes.all();
    if (all !== heard) byRegion.clear();
    heard = all;
    const known = byRegion.get(region);
    if (known) return known;
    const serving = all.filter((node) => node.isAlive && servesRegion(node, region));
    const places = serving.map((node) => placesOn(node, all));
    byRegion.set(region, places);
    return places;
  };
}
