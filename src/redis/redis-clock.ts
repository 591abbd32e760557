/** What this process knows about Redis' clock: in a Cluster each server has its own, so it is kept per namespace. */
export interface RedisClock {
  /** A script that was sent at `sentAt` and answered now saw this time. Times of this process are those of `performance.now()`. */
  learn(namespaceId: string, redisNow: number, sentAt: number): void;
  /** Redis' time at which the caller gives up; possibly earlier, never later. `wallNow` is this machine's time now. */
  deadlineOf(namespaceId: string, giveUpAt: number, wallNow: number): number;
}

interface Known {
  /** Redis' clock is at least so much ahead of `performance.now()`. */
  aheadMs: number;
  learntAt: number;
}

/** Two clocks drift by less than a millisecond in this time, and a clock that was set is noticed after it. */
const knownForMs = 10_000;
const knownMax = 10_000;
/** Scripts refuse a command from a machine whose clock is further ahead of theirs than this (frame.lua). */
const wallAheadMaxMs = 2_000;

export function createRedisClock(steadyNow = () => performance.now()): RedisClock {
  const known = new Map<string, Known>();

  return {
    learn(namespaceId, redisNow, sentAt) {
      const now = steadyNow();
      // The script ran between the two times, so Redis is ahead by at least one difference and at most the other.
      const [least, most] = [redisNow - now, redisNow - sentAt + 1];
      const before = known.get(namespaceId);
      const isBetter = before !== undefined && now - before.learntAt < knownForMs && before.aheadMs <= most;
      if (isBetter && before.aheadMs > least) return;
      // Namespaces change; the next command measures again what was dropped.
      if (known.size >= knownMax) known.clear();
      known.set(namespaceId, { aheadMs: least, learntAt: now });
    },

    deadlineOf(namespaceId, giveUpAt, wallNow) {
      const now = steadyNow();
      const found = known.get(namespaceId);
      if (found !== undefined && now - found.learntAt < knownForMs) return Math.floor(giveUpAt + found.aheadMs);
      return Math.floor(wallNow + giveUpAt - now - wallAheadMaxMs);
    },
  };
}
