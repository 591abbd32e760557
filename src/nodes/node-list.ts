import { parsed } from "./messages.ts";
import type { NodeBuilds } from "./node-builds.ts";
import type { NodeStatus, OwnStatus } from "./nodes.ts";

/** A node in the list in Redis, which does not contain the lease. */
export interface ListedNode extends Omit<NodeStatus, "hasLease"> {
  /** Its last report, with the time. */
  readonly said: string;
  /** It stopped cleanly and may come back. */
  readonly hasLeft: boolean;
  /** The format in which it stores records; 1: its report has none, as in Foyer 0.1.0. */
  readonly recordFormat: number;
}

/** How often a node reports. */
export const beatEveryMs = 1_000;
/** A node without a report for this long counts as down. */
export const aliveMs = 3_500;
/** One report may be a little late; two missing ones mean a problem, at least a busy machine. */
const lateMs = 2_000;
/** A longer time between two reports means that Redis was unavailable or this process was blocked. */
const beatGapMs = 3_000;

/** The report of a node; an earlier Foyer writes neither its version nor the holders of its slots. */
interface WrittenStatus extends Pick<OwnStatus, "regions" | "room"> {
  readonly version?: string | null;
  readonly startedAt?: number | null;
  readonly clockOffsetMs?: number | null;
  readonly places?: number;
  readonly held?: Readonly<Record<string, number>>;
  readonly asked?: readonly string[];
  readonly nodeUrl?: string | null;
  readonly builds?: NodeBuilds | null;
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

/** `list`: ids and reports of the nodes, alternating. */
export function readList(list: readonly string[], now: number): ListedNode[] {
  const nodes: ListedNode[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const node = readEntry(list[at] ?? "", list[at + 1] ?? "", now);
    if (node !== null) nodes.push(node);
  }
  return nodes.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
}

/** Null: no node of this version writes such a report. The others are read all the same. */
export function readEntry(nodeId: string, said: string, now: number): ListedNode | null {
  const space = said.indexOf(" ");
  const status = readStatus(parsed(said.slice(space + 1)));
  if (status === null) return null;
  const { regions, room, places = room, held = {}, asked = [], hasLeft = false, recordFormat = 1 } = status;
  const { version = null, startedAt = null, clockOffsetMs = null, nodeUrl = null, builds = null } = status;
  const reportedAt = Number(said.slice(0, space));
  const isAlive = !hasLeft && now - reportedAt < aliveMs;
  const isLate = isAlive && now - reportedAt >= lateMs;
  const holders = new Map(Object.entries(held));
  const about = { nodeId, version, startedAt, clockOffsetMs, regions, recordFormat, nodeUrl, builds };
  return { ...about, said, room, places, held: holders, asked, isAlive, isLate, reportedAt, hasLeft };
}

function readStatus(report: unknown): WrittenStatus | null {
  if (typeof report !== "object" || report === null) return null;
  // Cast: what is used without a look at it is checked here.
  const { regions, room, held = {}, asked = [], builds = null, nodeUrl = null } = report as Partial<WrittenStatus>;
  const isStatus =
    (regions === null || Array.isArray(regions)) &&
    typeof room === "number" &&
    typeof held === "object" &&
    held !== null &&
    Array.isArray(asked) &&
    (nodeUrl === null || URL.canParse(nodeUrl)) &&
    (builds === null || (Array.isArray(builds.ready) && typeof builds.failed === "object" && builds.failed !== null));
  return isStatus ? (report as WrittenStatus) : null;
}

/** Counts how long each node has been silent, without the times in which this process could not listen. */
export interface SilenceCount {
  noteList(nodes: readonly ListedNode[]): void;
  /** For a node without any report, the count starts now. */
  silentMs(nodeId: string): number;
}

export function createSilenceCount(steadyNow: () => number): SilenceCount {
  const reports = new Map<string, { said: string; at: number }>();
  let listenedAt = Number.NEGATIVE_INFINITY;
  return {
    noteList(nodes) {
      const now = steadyNow();
      const hasMissed = now - listenedAt > beatGapMs;
      listenedAt = now;
      if (hasMissed) for (const entry of reports.values()) entry.at = now;
      for (const { nodeId, said } of nodes) {
        if (reports.get(nodeId)?.said !== said) reports.set(nodeId, { said, at: now });
      }
    },
    silentMs(nodeId) {
      const entry = reports.get(nodeId) ?? { said: "", at: steadyNow() };
      reports.set(nodeId, entry);
      return steadyNow() - listenedAt > beatGapMs ? 0 : steadyNow() - entry.at;
    },
  };
}
