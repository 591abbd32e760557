import type { Lease } from "./nodes.ts";

export const leaseMs = 5_000;
/** A holder stops before the lease ends, because its own clock may run a little slower than Redis'. */
const leaseMarginMs = 1_000;

/** What a node knows of the lease by its beats. */
export interface LeaseWatch {
  /** `fence`: its number if this node holds it, else null. `askedAt`: when the beat was sent. */
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

/** Deadlines are decided by time, so a node whose clock is off would decide them wrongly. */
export function createClockWatch(onClockOff: (offsetMs: number) => void) {
  let offsetMs = 0;
  let isMeasured = false;
  const isOff = () => Math.abs(offsetMs) > clockOffsetMaxMs;
  return {
    note(redisAheadMs: number): void {
      const wasOff = isOff();
      // Not -0, which JSON and people write as 0.
      offsetMs = 0 - redisAheadMs;
      isMeasured = true;
      if (!wasOff && isOff()) onClockOff(offsetMs);
    },
    /** By how much this machine's clock is ahead; null: not measured yet. */
    offsetMs: () => (isMeasured ? offsetMs : null),
    /** Null: the clock is right. */
    trouble(): string | null {
      return isOff() ? `This machine's clock is ${Math.round(Math.abs(offsetMs) / 100) / 10} s off Redis'.` : null;
    },
  };
}

/** Another process was seen under this node's id: the one before may have been killed a moment ago, one that comes back is alive. */
export function createTwinWatch(onTwin: () => void): (isSeen: boolean) => void {
  let sightings = 0;
  return (isSeen) => {
    sightings = isSeen ? sightings + 1 : 0;
    if (sightings === 3) onTwin();
  };
}

/** How far Redis' time is ahead, at least, of a clock that was read before Redis was asked and after it answered. */
export function aheadMs(redisNow: number, askedAt: number, answeredAt: number): number {
  if (redisNow < askedAt) return redisNow - askedAt;
  return Math.max(0, redisNow - answeredAt);
}
