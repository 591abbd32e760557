import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../ground/clock.ts";
import type { RedisLink } from "../redis/interface.ts";
import { aheadMs, createClockWatch, createLeaseWatch, createTwinWatch, leaseMs } from "./beat-watch.ts";
import { parsed } from "./messages.ts";
import {
  aliveMs,
  beatEveryMs,
  createSilenceCount,
  type ListedNode,
  nodesKey,
  readEntry,
  readList,
  writeStatus,
} from "./node-list.ts";
import { beatScript, leaveScript, lookScript } from "./node-scripts.ts";
import type { NodeStatus, Nodes, OfferedLobby, OwnStatus } from "./nodes.ts";
import { describeRefusal, OtherFormatInUse, withOtherFormat } from "./record-formats.ts";

export interface RedisNodesOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  readonly nodeId: string;
  /** Different for every process, so that two nodes with the same id are noticed. */
  readonly instanceId: string;
  /** The format in which this node stores records. */
  readonly recordFormat: number;
  /** How long a node may be silent before its lobbies count as lost. */
  readonly graceMs: number;
  status(): OwnStatus;
  /** Milliseconds that only ever increase, independent of the wall clock. */
  steadyNow(): number;
  wallClock(): number;
  /** The core's time, which follows Redis' clock. */
  readonly clock?: Pick<Clock, "now" | "follow">;
  /** This machine's clock and Redis' differ by this many milliseconds. */
  onClockOff(offsetMs: number): void;
  /** Another process uses the id of this node. */
  onTwin(): void;
  /** A node that runs stores records in another format, for the reason in the message. */
  onOtherFormat(message: string): void;
  /** A message arrived that no node of this version writes; it is ignored. */
  onUnreadable(channel: string): void;
  onError(error: unknown): void;
}

/** Another process runs with this node's id. */
class NodeIdInUse extends Error {
  override readonly name = "NodeIdInUse";
}

/** Keeps the list of nodes and the lease in Redis (docs/decisions/0012). Resolves when this node is on the list. */
export async function joinNodes(options: RedisNodesOptions): Promise<Nodes> {
  const { link, prefix, nodeId, instanceId, recordFormat, graceMs } = options;
  const key = nodesKey(prefix);
  const beats = createBeats(options, key);
  const offers = createOfferChannel(options);

  await waitForEarlier(link, key, nodeId);
  // Nodes announce when they join and leave, so that the others know before their next beat.
  const onJoinOrLeave = (otherId: string) => {
    if (otherId !== nodeId) beats.beat().catch(options.onError);
  };
  await link.subscribe(`${prefix}:nodes`, onJoinOrLeave, () => onJoinOrLeave(""));
  await offers.listen();
  await beats.beat();
  const leave = async (isForGood: boolean) => {
    await beats.stop();
    const status = writeStatus(options.status(), { room: 0, hasLeft: true, instanceId, recordFormat });
    await link.run(leaveScript, key, [nodeId, instanceId, isForGood ? "1" : "0", status, `${prefix}:nodes`]);
  };
  // A node that started at the same moment was not on the list at the first check.
  const others = withOtherFormat(beats.all(), recordFormat);
  if (others.length > 0) {
    await leave(true);
    throw new OtherFormatInUse(describeRefusal(others, prefix, recordFormat));
  }
  const timer = setInterval(() => void beats.beat().catch(options.onError), beatEveryMs);

  return {
    ownId: nodeId,
    lease: beats.lease.current,
    onLease: beats.lease.onLease,
    onNodeLost: beats.onNodeLost,
    all: beats.all,
    isLost: (otherId) => otherId !== nodeId && beats.silence.silentMs(otherId) >= graceMs,
    isDown: (otherId) => otherId !== nodeId && beats.silence.silentMs(otherId) >= aliveMs,
    trouble: beats.trouble,
    report: beats.beat,
    offer: offers.offer,
    onOffer: offers.onOffer,
    async forget(lostId) {
      await link.call("HDEL", key, [lostId]);
    },
    leave(isForGood) {
      clearInterval(timer);
      return leave(isForGood);
    },
  };
}

/** Reports this node regularly, and keeps the list and the lease of the last report. */
function createBeats(options: RedisNodesOptions, key: string) {
  const { link, prefix, nodeId, instanceId, recordFormat, steadyNow, wallClock, clock } = options;
  const silence = createSilenceCount(steadyNow);
  const lease = createLeaseWatch(steadyNow);
  const clockWatch = createClockWatch(options.onClockOff);
  const noteTwin = createTwinWatch(options.onTwin);
  const lostListeners: (() => void)[] = [];
  let nodes: readonly (ListedNode & NodeStatus)[] = [];
  let isStopped = false;
  let beating: Promise<void> = Promise.resolve();

  async function beatNow(): Promise<void> {
    const asked = { steady: steadyNow(), wall: wallClock(), core: clock?.now() ?? 0 };
    const status = writeStatus(options.status(), { instanceId, recordFormat, clockOffsetMs: clockWatch.offsetMs() });
    const args = [nodeId, instanceId, status, String(leaseMs), `${prefix}:nodes`];
    // The script returns this shape.
    const reply = (await link.run(beatScript, key, args)) as [string, string, string, string, string[]];
    const [nowText, holder, fence, twin, list] = reply;
    const now = Number(nowText);
    const before = nodes;
    const holderId = holder.slice(0, holder.lastIndexOf(" "));
    nodes = readList(list, now).map((node) => ({ ...node, hasLease: node.nodeId === holderId }));
    silence.noteList(nodes);
    clockWatch.note(aheadMs(now, asked.wall, wallClock()));
    clock?.follow(aheadMs(now, asked.core, clock.now()));
    noteTwin(twin === "1");
    const others = withOtherFormat(nodes, recordFormat);
    if (others.length > 0) options.onOtherFormat(describeRefusal(others, prefix, recordFormat));
    lease.note(holder === `${nodeId} ${instanceId}` ? Number(fence) : null, asked.steady);
    if (before.some(isDownNow)) for (const listener of lostListeners) listener();
  }

  const isDownNow = (node: ListedNode) =>
    node.isAlive && !nodes.some((other) => other.nodeId === node.nodeId && other.isAlive);

  return {
    silence,
    lease,
    all: () => nodes,
    trouble: clockWatch.trouble,
    onNodeLost(listener: () => void): void {
      lostListeners.push(listener);
    },
    /** One at a time. */
    beat(): Promise<void> {
      beating = beating.catch(() => undefined).then(() => (isStopped ? undefined : beatNow()));
      return beating;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await beating.catch(() => undefined);
      lease.drop();
    },
  };
}

/** Waits for an earlier process of this node that was killed: it is still on the list, but no longer reports. */
async function waitForEarlier(link: RedisLink, key: string, nodeId: string): Promise<void> {
  let reported: string | null = null;
  for (;;) {
    // The script returns this shape.
    const [now, value] = (await link.run(lookScript, key, [nodeId])) as [string, string];
    const earlier = value === "" ? null : readEntry(nodeId, value, Number(now));
    if (earlier === null || earlier.hasLeft || !earlier.isAlive) return;
    if (reported !== null && reported !== value) {
      const message = `Another process already runs as node ${nodeId}. Give each node its own FOYER_NODE_ID and data folder.`;
      throw new NodeIdInUse(message);
    }
    reported = value;
    await sleep(beatEveryMs + 300);
  }
}

/** Offers lobbies with publish and subscribe. If an offer is lost, another node gets one. */
function createOfferChannel({ link, prefix, nodeId, onUnreadable }: RedisNodesOptions) {
  const listeners: ((lobby: OfferedLobby) => void)[] = [];
  const channelTo = (otherId: string) => `${prefix}:offers:${otherId}`;

  /** It must not throw because of a message: no code would catch the error. */
  function receive(text: string): void {
    const lobby = readOffer(parsed(text));
    if (lobby === null) onUnreadable(channelTo(nodeId));
    else for (const listener of listeners) listener(lobby);
  }

  return {
    listen: () => link.subscribe(channelTo(nodeId), receive, () => {}),
    async offer(otherId: string, lobby: OfferedLobby): Promise<void> {
      const text = JSON.stringify(lobby);
      if (otherId === nodeId) receive(text);
      else await link.call("PUBLISH", channelTo(otherId), [text]);
    },
    onOffer(listener: (lobby: OfferedLobby) => void): void {
      listeners.push(listener);
    },
  };
}

function readOffer(message: unknown): OfferedLobby | null {
  const { namespaceId, lobbyId, insteadOf = "" } = (message ?? {}) as Partial<OfferedLobby>;
  const isOffer = [namespaceId, lobbyId, insteadOf].every((part) => typeof part === "string");
  return isOffer ? (message as OfferedLobby) : null;
}
