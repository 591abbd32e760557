import { claimOn, getsAnother } from "../../ground/shares.ts";
import { buildStateOn } from "../../nodes/node-builds.ts";
import { placesOn, servesRegion } from "../../nodes/node-places.ts";
import type { NodeStatus, Nodes } from "../../nodes/nodes.ts";

/** A lobby that a node is to run. */
export interface WantedLobby {
  readonly namespaceId: string;
  readonly region: string;
  /** The build that the node must have; null or absent: any node may run the lobby. */
  readonly buildId?: string | null;
}

/** How far the nodes that could run a lobby are with its build. */
export interface Preparation {
  /** A node with a free slot is still fetching or unpacking it. */
  readonly isUnderWay: boolean;
  /** Why no node could prepare it; null: at least one has it or may get it. */
  readonly failure: string | null;
}

/**
 * Chooses nodes for lobbies, and remembers the recent lobbies of each node, because its status may not show them yet.
 */
export interface NodeChoice {
  /**
   * Null: no node outside `passedOver` has a free slot. Then that set is emptied, so that those nodes are asked again.
   */
  choose(wanted: WantedLobby, passedOver: Set<string>): string | null;
  /** Why no node was chosen, as far as the build is concerned. */
  preparation(wanted: WantedLobby): Preparation;
  /** Whether this node has a free slot, and the build if one is needed. */
  hasRoomHere(wanted: WantedLobby): boolean;
  /** The node gets a lobby of the namespace. */
  noteGiven(nodeId: string, namespaceId: string): void;
  /**
   * The node did not accept a lobby that was offered after this status; it comes last until it sends another status.
   */
  noteSilent(nodeId: string, statusAt: number): void;
  /** When the node sent its last status. */
  statusAt(nodeId: string): number;
}

/** For how long a node's status may not include its newest lobbies. */
export const recentMs = 2_500;

export function createNodeChoice({ nodes, now }: { readonly nodes: Nodes; now(): number }): NodeChoice {
  const given = new Map<string, { readonly at: number; readonly namespaceId: string }[]>();
  const silentSince = new Map<string, number>();

  function recentOn(nodeId: string): readonly string[] {
    const recent = (given.get(nodeId) ?? []).filter(({ at }) => at > now() - recentMs);
    given.set(nodeId, recent);
    return recent.map(({ namespaceId }) => namespaceId);
  }

  const isSilent = ({ nodeId, isLate, reportedAt }: NodeStatus) => isLate || silentSince.get(nodeId) === reportedAt;

  return {
    choose(wanted, passedOver) {
      const all = nodes.all();
      const others = all.filter((node) => !passedOver.has(node.nodeId));
      const answering = others.filter((node) => !isSilent(node));
      const chosen = chooseNode(answering, wanted, recentOn, all) ?? chooseNode(others, wanted, recentOn, all);
      if (chosen === null) passedOver.clear();
      return chosen;
    },
    preparation: (wanted) => describePreparation(nodes.all(), wanted),
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
    statusAt: (nodeId) => nodes.all().find((node) => node.nodeId === nodeId)?.reportedAt ?? 0,
  };
}

/** The part of a node's status that matters here. */
type Status = Pick<NodeStatus, "nodeId" | "regions" | "room" | "places" | "held" | "asked" | "isAlive" | "builds">;

/**
 * The node with the most free slots among those that serve the region, have the build and have a slot for the namespace;
 * null: no such node. `recentOn`: the namespaces of the lobbies that a node got recently; `all`: the nodes whose claimants count for
 * the shares.
 */
export function chooseNode(
  nodes: readonly Status[],
  { namespaceId, region, buildId = null }: WantedLobby,
  recentOn: (nodeId: string) => readonly string[],
  all: readonly Status[] = nodes,
): string | null {
  let best: { nodeId: string; room: number } | null = null;
  for (const node of nodes) {
    if (!node.isAlive || !servesRegion(node, region) || !mayHave(node, buildId)) continue;
    const recent = recentOn(node.nodeId);
    const taking = { all: recent.length, own: recent.filter((of) => of === namespaceId).length };
    const room = node.room - taking.all;
    if (room <= (best?.room ?? 0)) continue;
    if (getsAnother(claimOn(placesOn(node, all), namespaceId, taking))) best = { nodeId: node.nodeId, room };
  }
  return best?.nodeId ?? null;
}

/** A node that does not say whether it has the build may run the lobby, and fetches the build for it. */
function mayHave(node: Status, buildId: string | null): boolean {
  return buildId === null || ["ready", "unknown"].includes(buildStateOn(node, buildId));
}

export function describePreparation(nodes: readonly Status[], { region, buildId = null }: WantedLobby): Preparation {
  if (buildId === null) return { isUnderWay: false, failure: null };
  const serving = nodes.filter((node) => node.isAlive && node.places > 0 && servesRegion(node, region));
  const states = serving.map((node) => buildStateOn(node, buildId));
  const hasFailed = states.length > 0 && states.every((state) => state === "failed");
  return {
    isUnderWay: serving.some((node, index) => states[index] === "preparing" && node.room > 0),
    failure: hasFailed ? (serving[0]?.builds?.failed[buildId] ?? null) : null,
  };
}
