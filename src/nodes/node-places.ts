import type { NodePlaces } from "../ground/shares.ts";
import type { NodeStatus, OwnStatus } from "./nodes.ts";

type PlacesStatus = Pick<OwnStatus, "regions" | "room" | "places" | "held">;

export function servesRegion({ regions }: Pick<NodeStatus, "regions">, region: string): boolean {
  return regions === null || regions.includes(region);
}

/**
 * A node's slots for lobby processes, from its last report. Claimants are the namespaces that hold or recently held
 * slots there, and those that asked any node for a lobby of its regions.
 */
export function placesOn(node: PlacesStatus, all: readonly Pick<NodeStatus, "asked" | "isAlive">[]): NodePlaces {
  return {
    places: node.places,
    free: node.room,
    heldBy: (namespaceId) => node.held.get(namespaceId) ?? 0,
    claimants(namespaceId) {
      const wanting = new Set(node.held.keys()).add(namespaceId);
      for (const { asked, isAlive } of all) {
        if (isAlive) for (const ask of asked) addAsking(wanting, ask);
      }
      return wanting.size;
    },
  };

  function addAsking(wanting: Set<string>, ask: string): void {
    const space = ask.indexOf(" ");
    if (servesRegion(node, ask.slice(0, space))) wanting.add(ask.slice(space + 1));
  }
}

/** The text of a request for a slot, as nodes report it to each other. */
export function askText(region: string, namespaceId: string): string {
  return `${region} ${namespaceId}`;
}
