import type { Lease } from "./nodes.ts";

export const leaseMs = 5_000;
/** The holder stops before the lease ends, because its clock may run a little slower than Redis'. */
const leaseMarginMs = 1_000;

/** What a node knows about the lease from its reports. */
export interface LeaseWatch {
  /** `fence`: the number of the lease if this node holds it, else null. `askedAt`: when the report was sent. */
  note(fence: number | null, askedAt: number): void;
  current(): Lease | null;
  onLease(listener: () => void): void;
  drop(): void;
}

export function createLeaseWatch(steadyNow: () => number): LeaseWatch {
  const listeners: (() => void)[] = [];
  let held: { readonly lease: Lease; readonly endsAt: number } | null = null;
  const current = () => (held !== null && steadyNow() < held.endsAt ? held.lease : null);

  return {
    current,
    note(fence, askedAt) {
      const isNew = fence !== null && current()?.fence !== fence;
      held = fence === null ? null : { lease: { fence }, endsAt: askedAt + leaseMs - leaseMarginMs };
      if (isNew) for (const listener of listeners) listener();
    },
    onLease(listener) {
      listeners.push(listener);
      if (current() !== null) listener();
    },
    drop() {
      held = null;
    },
  };
}

const clockOffsetMaxMs = 1_000;

/** A node with a wrong clock would decide deadlines wrongly. */
export function createClockWatch(onClockOff: (offsetMs: number) => void) {
  let offsetMs = 0;
  let isMeasured = false;
  const isOff = () => Math.abs(offsetMs) > clockOffsetMaxMs;
  return {
    note(redisAheadMs: number): void {
      const wasOff = isOff();
      // Avoids -0, which JSON writes as 0.
      offsetMs = 0 - redisAheadMs;
      isMeasured = true;
      if (!wasOff && isOff()) onClockOff(offsetMs);
    },
    /** By how much this machine's clock is ahead; null: not measured yet. */
    offsetMs: () => (isMeasured ? offsetMs : null),
    /** Null: the clock is right. */
    trouble(): string | null {
      return isOff()
        ? `This machine's clock differs from Redis' by ${Math.round(Math.abs(offsetMs) / 100) / 10} s.`
        : null;
    },
  };
}

/**
 * Another process was seen with this node's id. Once may be an earlier process that was just killed; a second time
 * means that it is running.
 */
export function createTwinWatch(onTwin: () => void): (isSeen: boolean) => void {
  let sightings = 0;
  return (isSeen) => {
    sightings = isSeen ? sightings + 1 : 0;
    if (sightings === 3) onTwin();
  };
}

/**
 * How far Redis' time is ahead, at least, of a clock that was read before the request to Redis and after its answer.
 */
export function aheadMs(redisNow: number, askedAt: number, answeredAt: number): number {
  if (redisNow < askedAt) return redisNow - askedAt;
  return Math.max(0, redisNow - answeredAt);
}
