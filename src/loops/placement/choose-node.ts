import { claimOn, getsAnother } from "../../ground/shares.ts";
import { placesOn, servesRegion } from "../../nodes/node-places.ts";
import type { NodeStatus, Nodes } from "../../nodes/nodes.ts";

/** A lobby that a node is to run. */
export interface WantedLobby {
  readonly namespaceId: string;
  readonly region: string;
}

/** Chooses nodes for lobbies, and remembers what each was given lately: its status may not show that yet. */
export interface NodeChoice {
  /** Null: no node but those in `passedOver` has room. Then that set is emptied, so that they are asked again. */
  choose(wanted: WantedLobby, passedOver: Set<string>): string | null;
  /** Whether this node has room. */
  hasRoomHere(wanted: WantedLobby): boolean;
  /** The node gets a lobby of the namespace. */
  noteGiven(nodeId: string, namespaceId: string): void;
  /** The node did not take a lobby that was offered after this status; it comes last until it sends another. */
  noteSilent(nodeId: string, statusAt: number): void;
  /** When the node sent its last status. */
  statusAt(nodeId: string): number;
}

/** For how long a node's status may not show what it was given. */
export const recentMs = 2_500;

export function createNodeChoice({ nodes, now }: { readonly nodes: Nodes; now(): number }): NodeChoice {
  const given = new Map<string, { readonly at: number; readonly namespaceId: string }[]>();
  const silentSince = new Map<string, number>();

  function recentOn(nodeId: string): readonly string[] {
    const recent = (given.get(nodeId) ?? []).filter(({ at }) => at > now() - recentMs);
    given.set(nodeId, recent);
    return recent.map(({ namespaceId }) => namespaceId);
  }

  const isSilent = ({ nodeId, isLate, heardAt }: NodeStatus) => isLate || silentSince.get(nodeId) === heardAt;

  return {
    choose(wanted, passedOver) {
      const all = nodes.all();
      const others = all.filter((node) => !passedOver.has(node.nodeId));
      const answering = others.filter((node) => !isSilent(node));
      const chosen = chooseNode(answering, wanted, recentOn, all) ?? chooseNode(others, wanted, recentOn, all);
      if (chosen === null) passedOver.clear();
      return chosen;
    },
    hasRoomHere(wanted) {
      const own = nodes.all().filter((node) => node.nodeId === nodes.ownId);
      return chooseNode(own, wanted, recentOn, nodes.all()) !== null;
    },
    noteGiven(nodeId, namespaceId) {
      given.set(nodeId, [...(given.get(nodeId) ?? []), { at: now(), namespaceId }]);
    },
    noteSilent(nodeId, statusAt) {
      silentSince.set(nodeId, statusAt);
    },
    statusAt: (nodeId) => nodes.all().find((node) => node.nodeId === nodeId)?.heardAt ?? 0,
  };
}

/** What a node said about itself, as far as it matters here. */
type Status = Pick<NodeStatus, "nodeId" | "regions" | "room" | "places" | "held" | "asked" | "isAlive">;

/**
 * The node with the most room among those that serve the region and have room for the namespace; null: there is none.
 * `recentOn`: the namespaces whose lobbies a node was given lately; `all`: the nodes whose callers count for the shares.
 */
export function chooseNode(
  nodes: readonly Status[],
  { namespaceId, region }: WantedLobby,
  recentOn: (nodeId: string) => readonly string[],
  all: readonly Status[] = nodes,
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
