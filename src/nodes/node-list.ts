import type { NodeStatus, OwnStatus } from "./nodes.ts";

/** A node as the list in Redis shows it, which does not say who has the lease. */
export interface ListedNode extends Omit<NodeStatus, "hasLease"> {
  /** What it said last, with when. */
  readonly said: string;
  /** It stopped in good order and may come back. */
  readonly hasLeft: boolean;
  /** The format in which it stores records; 1: it does not say, as Foyer 0.1.0. */
  readonly recordFormat: number;
}

/** How often a node reports that it is up. */
export const beatEveryMs = 1_000;
/** A node that was not heard of for so long does not count as up. */
export const aliveMs = 3_500;
/** One beat may be a little late; after two something is wrong, be it only a busy machine. */
const lateMs = 2_000;
/** More than this between two beats means that Redis, or this process, was away. */
const beatGapMs = 3_000;

/** What a node writes; one of an earlier Foyer does not say who holds its slots, nor which Foyer it is. */
interface WrittenStatus extends Pick<OwnStatus, "regions" | "room"> {
  readonly version?: string | null;
  readonly startedAt?: number | null;
  readonly clockOffsetMs?: number | null;
  readonly places?: number;
  readonly held?: Readonly<Record<string, number>>;
  readonly asked?: readonly string[];
  readonly hasLeft?: boolean;
  readonly recordFormat?: number;
  readonly instanceId: string;
}

/** Where the list of nodes is in Redis. */
export function nodesKey(prefix: string): string {
  return `${prefix}:{nodes}:list`;
}

export function writeStatus(own: OwnStatus, more: Partial<WrittenStatus>): string {
  return JSON.stringify({ ...own, held: Object.fromEntries(own.held), ...more });
}

/** `list`: ids and what those nodes said, in turn. */
export function readList(list: readonly string[], now: number): ListedNode[] {
  const nodes: ListedNode[] = [];
  for (let at = 0; at < list.length; at += 2) nodes.push(readEntry(list[at] ?? "", list[at + 1] ?? "", now));
  return nodes.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
}

export function readEntry(nodeId: string, said: string, now: number): ListedNode {
  const space = said.indexOf(" ");
  // Border: the text was written by that node.
  const status = JSON.parse(said.slice(space + 1)) as WrittenStatus;
  const { regions, room, places = room, held = {}, asked = [], hasLeft = false, recordFormat = 1 } = status;
  const { version = null, startedAt = null, clockOffsetMs = null } = status;
  const heardAt = Number(said.slice(0, space));
  const isAlive = !hasLeft && now - heardAt < aliveMs;
  const isLate = isAlive && now - heardAt >= lateMs;
  const holders = new Map(Object.entries(held));
  const about = { nodeId, version, startedAt, clockOffsetMs, regions, recordFormat };
  return { ...about, said, room, places, held: holders, asked, isAlive, isLate, heardAt, hasLeft };
}

/** Counts for how long each node has not been heard of, as far as this process could listen. */
export interface SilenceCount {
  noteList(nodes: readonly ListedNode[]): void;
  /** A node that was never heard of is waited for from now on. */
  silentMs(nodeId: string): number;
}

export function createSilenceCount(steadyNow: () => number): SilenceCount {
  const heardOf = new Map<string, { said: string; at: number }>();
  let listenedAt = Number.NEGATIVE_INFINITY;
  return {
    noteList(nodes) {
      const now = steadyNow();
      const hasMissed = now - listenedAt > beatGapMs;
      listenedAt = now;
      if (hasMissed) for (const entry of heardOf.values()) entry.at = now;
      for (const { nodeId, said } of nodes) {
        if (heardOf.get(nodeId)?.said !== said) heardOf.set(nodeId, { said, at: now });
      }
    },
    silentMs(nodeId) {
      const entry = heardOf.get(nodeId) ?? { said: "", at: steadyNow() };
      heardOf.set(nodeId, entry);
      return steadyNow() - listenedAt > beatGapMs ? 0 : steadyNow() - entry.at;
    },
  };
}
