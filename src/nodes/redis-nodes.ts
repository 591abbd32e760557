import type { Clock } from "../ground/clock.ts";
import type { RedisLink } from "../redis/interface.ts";
import type { Lease, NodeStatus, Nodes, OfferedLobby, OwnStatus } from "./nodes.ts";
import { script } from "./script.ts";

export interface RedisNodesOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  readonly nodeId: string;
  /** Another one for every process, so that two nodes with one id are noticed. */
  readonly instanceId: string;
  /** How long a node may be unheard of before its lobbies count as lost. */
  readonly graceMs: number;
  status(): OwnStatus;
  /** Milliseconds that only ever rise, whatever the clock on the wall does. */
  steadyNow(): number;
  wallClock(): number;
  /** The core's time, which follows Redis' clock. */
  readonly clock?: Pick<Clock, "now" | "follow">;
  /** This machine's clock and Redis' have come apart by so many milliseconds. */
  onClockOff(offsetMs: number): void;
  /** Two processes say that they are this node. */
  onTwin(): void;
  onFault(fault: unknown): void;
}

const beatEveryMs = 1_000;
const leaseMs = 5_000;
/** A holder stops before the lease ends, because its own clock may run a little slower than Redis'. */
const leaseMarginMs = 1_000;
const aliveMs = 3_500;
/** One beat may be a little late; after two something is wrong, be it only the machine that is busy. */
const lateMs = 2_000;
/** More than this between two beats means that Redis, or this process, was away. */
const beatGapMs = 3_000;
const clockOffsetMaxMs = 1_000;

/** Another process serves under this node's name. */
class NodeIdInUse extends Error {
  override readonly name = "NodeIdInUse";
}

/** Keeps the list of nodes and the lease in Redis. Resolves when this node is on the list. */
export async function joinNodes(options: RedisNodesOptions): Promise<Nodes> {
  const { link, prefix, nodeId, instanceId, graceMs, steadyNow } = options;
  const key = `${prefix}:{nodes}:list`;
  const watch = createNodeWatch(steadyNow);
  let nodes: readonly ListedNode[] = [];
  let held: { readonly lease: Lease; readonly endsAt: number } | null = null;
  let clockOffsetMs = 0;
  let twinSightings = 0;
  let isLeaving = false;
  let beating: Promise<void> = Promise.resolve();
  const leaseListeners: (() => void)[] = [];
  const goneListeners: (() => void)[] = [];
  const offerListeners: ((lobby: OfferedLobby) => void)[] = [];
  const offersTo = (otherId: string) => `${prefix}:offers:${otherId}`;

  function hearOffer(text: string): void {
    // Border: nodes of one installation write these.
    const lobby = JSON.parse(text) as OfferedLobby;
    for (const listener of offerListeners) listener(lobby);
  }

  async function beat(): Promise<void> {
    const askedAt = steadyNow();
    const wallAskedAt = options.wallClock();
    const coreAskedAt = options.clock?.now() ?? 0;
    const status = statusText(options.status(), { instanceId });
    // Border: the shape is that of the script's reply.
    const reply = (await link.run(beatScript, key, [
      nodeId,
      instanceId,
      status,
      String(leaseMs),
      `${prefix}:nodes`,
    ])) as [now: string, holder: string, fence: string, twin: string, list: string[]];
    const [now, holder, fence, twin, list] = reply;
    const before = nodes;
    nodes = readList(list, Number(now));
    watch.heard(nodes);
    noteClock(aheadMs(Number(now), wallAskedAt, options.wallClock()));
    options.clock?.follow(aheadMs(Number(now), coreAskedAt, options.clock.now()));
    noteTwin(twin === "1");
    noteLease(holder === `${nodeId} ${instanceId}` ? Number(fence) : null, askedAt);
    const isGone = (node: ListedNode) =>
      node.isAlive && !nodes.some((one) => one.nodeId === node.nodeId && one.isAlive);
    if (before.some(isGone)) for (const listener of goneListeners) listener();
  }

  /** Deadlines are decided by time, so a node whose clock has run off would decide them wrongly. */
  function noteClock(redisAheadMs: number): void {
    const wasOff = Math.abs(clockOffsetMs) > clockOffsetMaxMs;
    clockOffsetMs = -redisAheadMs;
    if (!wasOff && Math.abs(clockOffsetMs) > clockOffsetMaxMs) options.onClockOff(clockOffsetMs);
  }

  function noteLease(fence: number | null, askedAt: number): void {
    const isNew = fence !== null && currentLease()?.fence !== fence;
    held = fence === null ? null : { lease: { fence }, endsAt: askedAt + leaseMs - leaseMarginMs };
    if (isNew) for (const listener of leaseListeners) listener();
  }

  /** The one before may have been killed a moment ago; one that keeps coming back is alive. */
  function noteTwin(isSeen: boolean): void {
    twinSightings = isSeen ? twinSightings + 1 : 0;
    if (twinSightings === 3) options.onTwin();
  }

  function currentLease(): Lease | null {
    return held !== null && steadyNow() < held.endsAt ? held.lease : null;
  }

  function beatNext(): Promise<void> {
    beating = beating.catch(() => undefined).then(() => (isLeaving ? undefined : beat()));
    return beating;
  }

  /** One that was killed a moment ago is on the list as well, but says nothing any more. */
  async function waitForEarlier(): Promise<void> {
    let heard: string | null = null;
    for (;;) {
      const [now, value] = (await link.run(lookScript, key, [nodeId])) as [string, string];
      const earlier = value === "" ? null : readEntry(nodeId, value, Number(now));
      if (earlier === null || earlier.hasLeft || !earlier.isAlive) return;
      if (heard !== null && heard !== value) {
        const message = `Another process serves as node ${nodeId} already. Give each node its own FOYER_NODE_ID and data folder.`;
        throw new NodeIdInUse(message);
      }
      heard = value;
      await new Promise((resolve) => setTimeout(resolve, beatEveryMs + 300));
    }
  }

  // Nodes that come and go say so, so that the others need not wait for their next beat to know.
  const hear = (otherId: string) => {
    if (otherId !== nodeId) beatNext().catch(options.onFault);
  };
  await waitForEarlier();
  await link.subscribe(`${prefix}:nodes`, hear, () => hear(""));
  // What is not heard is offered to another node.
  await link.subscribe(offersTo(nodeId), hearOffer, () => {});
  await beatNext();
  const timer = setInterval(() => void beatNext().catch(options.onFault), beatEveryMs);

  return {
    ownId: nodeId,
    lease: currentLease,
    onLease(listener) {
      leaseListeners.push(listener);
      if (currentLease() !== null) listener();
    },
    onGone(listener) {
      goneListeners.push(listener);
    },
    all: () => nodes,
    isLost: (otherId) => otherId !== nodeId && watch.unheardMs(otherId) >= graceMs,
    isGone: (otherId) => otherId !== nodeId && watch.unheardMs(otherId) >= aliveMs,
    trouble() {
      if (Math.abs(clockOffsetMs) <= clockOffsetMaxMs) return null;
      return `This machine's clock is ${Math.round(Math.abs(clockOffsetMs) / 100) / 10} s off Redis'.`;
    },
    tell: beatNext,
    async offer(otherId, lobby) {
      const text = JSON.stringify(lobby);
      if (otherId === nodeId) hearOffer(text);
      else await link.call("PUBLISH", offersTo(otherId), [text]);
    },
    onOffer(listener) {
      offerListeners.push(listener);
    },
    async forget(lostId) {
      await link.call("HDEL", key, [lostId]);
    },
    async leave(isForGood) {
      clearInterval(timer);
      isLeaving = true;
      await beating.catch(() => undefined);
      held = null;
      const status = statusText(options.status(), { room: 0, hasLeft: true, instanceId });
      await link.run(leaveScript, key, [nodeId, instanceId, isForGood ? "1" : "0", status, `${prefix}:nodes`]);
    },
  };
}

interface ListedNode extends NodeStatus {
  /** What it said last, with when. */
  readonly said: string;
  /** It stopped in good order and may come back. */
  readonly hasLeft: boolean;
}

/** How far Redis' time is ahead, at least, of a clock that was read before it was asked for and after. */
function aheadMs(redisNow: number, askedAt: number, answeredAt: number): number {
  if (redisNow < askedAt) return redisNow - askedAt;
  return Math.max(0, redisNow - answeredAt);
}

/** Counts for how long each node has been unheard of, as far as this process could listen. */
function createNodeWatch(steadyNow: () => number) {
  const heardOf = new Map<string, { said: string; at: number }>();
  let listenedAt = Number.NEGATIVE_INFINITY;
  return {
    heard(nodes: readonly ListedNode[]): void {
      const now = steadyNow();
      const hasMissed = now - listenedAt > beatGapMs;
      listenedAt = now;
      if (hasMissed) for (const entry of heardOf.values()) entry.at = now;
      for (const { nodeId, said } of nodes) {
        if (heardOf.get(nodeId)?.said !== said) heardOf.set(nodeId, { said, at: now });
      }
    },
    /** One that nobody ever heard of is waited for from now on. */
    unheardMs(nodeId: string): number {
      const entry = heardOf.get(nodeId) ?? { said: "", at: steadyNow() };
      heardOf.set(nodeId, entry);
      return steadyNow() - listenedAt > beatGapMs ? 0 : steadyNow() - entry.at;
    },
  };
}

function readList(list: readonly string[], now: number): ListedNode[] {
  const nodes: ListedNode[] = [];
  for (let at = 0; at < list.length; at += 2) nodes.push(readEntry(list[at] ?? "", list[at + 1] ?? "", now));
  return nodes.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
}

function readEntry(nodeId: string, said: string, now: number): ListedNode {
  const space = said.indexOf(" ");
  // Border: the text was written by that node.
  const status = JSON.parse(said.slice(space + 1)) as WrittenStatus;
  const { regions, room, places = room, held = {}, asked = [], hasLeft = false } = status;
  const heardAt = Number(said.slice(0, space));
  const isAlive = !hasLeft && now - heardAt < aliveMs;
  const isLate = isAlive && now - heardAt >= lateMs;
  const holders = new Map(Object.entries(held));
  return { nodeId, said, regions, room, places, held: holders, asked, isAlive, isLate, heardAt, hasLeft };
}

/** What a node writes; one of an earlier Foyer tells nothing of who holds its places. */
interface WrittenStatus extends Pick<OwnStatus, "regions" | "room"> {
  readonly places?: number;
  readonly held?: Readonly<Record<string, number>>;
  readonly asked?: readonly string[];
  readonly hasLeft?: boolean;
  readonly instanceId: string;
}

function statusText({ regions, room, places, held, asked }: OwnStatus, more: Partial<WrittenStatus>): string {
  return JSON.stringify({ regions, room, places, held: Object.fromEntries(held), asked, ...more });
}

/** Time is Redis' own here: the clocks of the nodes do not matter for who holds the lease. */
const beatScript = script(
  "node-beat",
  `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = KEYS[1] .. ':lease'
local holder = ARGV[1] .. ' ' .. ARGV[2]
local before = redis.call('HGET', KEYS[1], ARGV[1])
local twin = '0'
if before and not string.find(before, '"instanceId":"' .. ARGV[2] .. '"', 1, true) then twin = '1' end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[3])
if not before or string.find(before, '"hasLeft":true', 1, true) then redis.call('PUBLISH', ARGV[5], ARGV[1]) end
local held = redis.call('HMGET', lease, 'holder', 'ends', 'fence')
local isOver = not held[1] or now >= tonumber(held[2])
if isOver and held[1] ~= holder then
  held[1] = holder
  -- Not only one more than before: a Redis that failed over may have forgotten the last ones.
  held[3] = string.format('%.0f', math.max((tonumber(held[3]) or 0) + 1, time[1] * 1000000 + time[2]))
  redis.call('HSET', lease, 'fence', held[3])
end
if held[1] == holder then
  redis.call('HSET', lease, 'holder', holder, 'ends', string.format('%.0f', now + tonumber(ARGV[4])))
end
return { string.format('%.0f', now), held[1], held[3], twin, redis.call('HGETALL', KEYS[1]) }
`,
);

/** What is on the list under a name, without putting anything there. */
const lookScript = script(
  "node-look",
  `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { string.format('%.0f', now), redis.call('HGET', KEYS[1], ARGV[1]) or '' }
`,
);

const leaveScript = script(
  "node-leave",
  `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = KEYS[1] .. ':lease'
if ARGV[3] == '1' then redis.call('HDEL', KEYS[1], ARGV[1])
else redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[4]) end
if redis.call('HGET', lease, 'holder') == ARGV[1] .. ' ' .. ARGV[2] then redis.call('HSET', lease, 'ends', '0') end
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 'OK'
`,
);
