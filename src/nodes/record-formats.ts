import { setTimeout as sleep } from "node:timers/promises";
import type { RedisLink } from "../redis/interface.ts";
import { beatEveryMs, type ListedNode, nodesKey, readList } from "./node-list.ts";
import { listScript } from "./node-scripts.ts";

/**
 * Nodes that store records in different formats must not share a Redis: the older one does not know the newer fields,
 * and would drop them when it writes.
 */

/** A running node stores records in another format. */
export class OtherFormatInUse extends Error {
  override readonly name = "OtherFormatInUse";
}

/** Throws if a node of another format runs. A killed node stays on the list for some seconds, but does not count. */
export async function refuseOtherFormats(link: RedisLink, prefix: string, recordFormat: number): Promise<void> {
  let before = new Map<string, string>();
  for (;;) {
    // The script returns this shape.
    const [now, list] = (await link.run(listScript, nodesKey(prefix), [])) as [string, string[]];
    const others = withOtherFormat(readList(list, Number(now)), recordFormat);
    const running = others.filter(({ nodeId, said }) => before.has(nodeId) && before.get(nodeId) !== said);
    if (running.length > 0) throw new OtherFormatInUse(describeRefusal(running, prefix, recordFormat));
    if (others.length === 0) return;
    before = new Map(others.map(({ nodeId, said }) => [nodeId, said]));
    await sleep(beatEveryMs + 300);
  }
}

/** The running nodes that store records in another format. */
export function withOtherFormat(nodes: readonly ListedNode[], recordFormat: number): ListedNode[] {
  return nodes.filter((node) => node.isAlive && node.recordFormat !== recordFormat);
}

/** Why a node of this format must not run beside those nodes. */
export function describeRefusal(others: readonly ListedNode[], prefix: string, recordFormat: number): string {
  const older = others.filter((node) => node.recordFormat < recordFormat);
  if (older.length > 0)
    return (
      `An older version of Foyer runs on the prefix ${prefix} of this Redis (${nodeNames(older)}). This version stores records ` +
      "in a newer format, which the older one cannot read. Stop all nodes of the older version first, then start this one. " +
      "Nothing is lost: this version reads what they stored."
    );
  return (
    `A newer version of Foyer runs on the prefix ${prefix} of this Redis (${nodeNames(others)}). It stores records in a newer ` +
    "format, which this version cannot read. Start this node with the newer version too."
  );
}

function nodeNames(nodes: readonly ListedNode[]): string {
  return `${nodes.length === 1 ? "node" : "nodes"} ${nodes.map(({ nodeId }) => nodeId).join(", ")}`;
}
