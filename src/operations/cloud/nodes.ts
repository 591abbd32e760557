import type { NodeStatus } from "../../nodes/nodes.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { toTimestampOrNull } from "./lobby-reply.ts";

export function nodeOperations({ nodes }: Context) {
  return {
    "nodes.list": async () => {
      const alive = nodes.all().filter(({ isAlive }) => isAlive);
      return { nodes: alive.map((node) => toNodeReply(node, nodes.ownId)) };
    },
  } satisfies Partial<Handlers>;
}

function toNodeReply(node: NodeStatus, ownId: string) {
  return {
    node_id: node.nodeId,
    version: node.version,
    start_ts: toTimestampOrNull(node.startedAt),
    regions: node.regions === null ? null : [...node.regions],
    lobby_processes: Math.max(0, node.places - node.room),
    lobby_processes_max: node.places,
    has_lease: node.hasLease,
    clock_offset_ms: node.clockOffsetMs === null ? null : Math.round(node.clockOffsetMs),
    is_self: node.nodeId === ownId,
  };
}
