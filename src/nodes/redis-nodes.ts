import type { RedisLink } from "../engine/redis/link.ts";
import type { Lease, NodeStatus, Nodes, OwnStatus } from "./nodes.ts";
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
  /** Two processes say that they are this node. */
  onTwin(): void;
  onFault(fault: unknown): void;
}

const beatEveryMs = 1_000;
const leaseMs = 5_000;
/** A holder stops before the lease ends, because its own clock may run a little slower than Redis'. */
const leaseMarginMs = 1_000;
const aliveMs = 3_500;

/** Keeps the list of nodes and the lease in Redis. Resolves when this node is on the list. */
export async function joinNodes(options: RedisNodesOptions): Promise<Nodes> {
  const { link, prefix, nodeId, instanceId, graceMs } = options;
  const key = `${prefix}:{nodes}:list`;
  let nodes: readonly NodeStatus[] = [];
  let lease: (Lease & { readonly endsAt: number }) | null = null;
  let twinSightings = 0;
  let isLeaving = false;
  let beating: Promise<void> = Promise.resolve();
  const listeners: (() => void)[] = [];

  async function beat(): Promise<void> {
    const askedAt = options.steadyNow();
    const status = JSON.stringify({ ...options.status(), instanceId });
    // Border: the shape is that of the script's reply.
    const reply = (await link.run(beatScript, key, [nodeId, instanceId, status, String(leaseMs)])) as [
      now: string,
      holder: string,
      fence: string,
      twin: string,
      list: string[],
    ];
    const [now, holder, fence, twin, list] = reply;
    nodes = readList(list, Number(now), graceMs);
    noteTwin(twin === "1");
    noteLease(holder === `${nodeId} ${instanceId}` ? Number(fence) : null, askedAt);
  }

  function noteLease(fence: number | null, askedAt: number): void {
    const isNew = fence !== null && lease?.fence !== fence;
    lease = fence === null ? null : { fence, endsAt: askedAt + leaseMs - leaseMarginMs };
    if (isNew) for (const listener of listeners) listener();
  }

  /** The one before may have been killed a moment ago; one that keeps coming back is alive. */
  function noteTwin(isSeen: boolean): void {
    twinSightings = isSeen ? twinSightings + 1 : 0;
    if (twinSightings === 3) options.onTwin();
  }

  function currentLease(): Lease | null {
    return lease !== null && options.steadyNow() < lease.endsAt ? lease : null;
  }

  function beatNext(): Promise<void> {
    beating = beating.catch(() => undefined).then(() => (isLeaving ? undefined : beat()));
    return beating;
  }

  await beatNext();
  const timer = setInterval(() => void beatNext().catch(options.onFault), beatEveryMs);

  return {
    ownId: nodeId,
    lease: currentLease,
    onLease(listener) {
      listeners.push(listener);
      if (currentLease() !== null) listener();
    },
    all: () => nodes,
    tell: beatNext,
    async forget(lostId) {
      await link.call("HDEL", key, [lostId]);
    },
    async leave(isForGood) {
      clearInterval(timer);
      isLeaving = true;
      await beating.catch(() => undefined);
      lease = null;
      const status = JSON.stringify({ ...options.status(), room: 0, instanceId });
      await link.run(leaveScript, key, [nodeId, instanceId, isForGood ? "1" : "0", status]);
    },
  };
}

function readList(list: readonly string[], now: number, graceMs: number): NodeStatus[] {
  const nodes: NodeStatus[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const [nodeId = "", value = ""] = list.slice(at, at + 2);
    const space = value.indexOf(" ");
    const unheardMs = now - Number(value.slice(0, space));
    // Border: the text was written by `beat` on that node.
    const { regions, room } = JSON.parse(value.slice(space + 1)) as OwnStatus;
    nodes.push({ nodeId, regions, room, isAlive: unheardMs < aliveMs, isLost: unheardMs >= graceMs });
  }
  return nodes.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
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
local held = redis.call('HMGET', lease, 'holder', 'ends', 'fence')
local isOver = not held[1] or now >= tonumber(held[2])
if isOver and held[1] ~= holder then
  held[1] = holder
  -- Not only one more than before: a Redis that failed over may have forgotten the last ones.
  held[3] = string.format('%.0f', math.max((tonumber(held[3]) or 0) + 1, now))
  redis.call('HSET', lease, 'fence', held[3])
end
if held[1] == holder then
  redis.call('HSET', lease, 'holder', holder, 'ends', string.format('%.0f', now + tonumber(ARGV[4])))
end
return { string.format('%.0f', now), held[1], held[3], twin, redis.call('HGETALL', KEYS[1]) }
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
return 'OK'
`,
);
