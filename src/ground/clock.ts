/** The core's time, used for deadlines, timestamps and new ids. A step of the wall clock does not move it. */
export interface Clock {
  /** Whole milliseconds since 1970. Never runs backwards. */
  now(): number;
  /**
   * Reports how far another clock, which people set, is ahead of this one (negative: behind). If the difference exceeds
   * a second, this clock follows the other one until both agree, by at most a tenth of the time that passes. Call it
   * about once a second.
   */
  follow(aheadMs: number): void;
  /** Jumps to a later time immediately. Only for the start, before any decision. */
  startAt(time: number): void;
}

export interface ClockSources {
  /** The time of day, which people and programs may set. */
  wall(): number;
  /** Milliseconds that only ever increase, from any origin. */
  steady(): number;
  /** The followed clock now differs from this one. */
  onApart(aheadMs: number): void;
  onTogether(): void;
}

const apartMs = 1_000;
const togetherMs = 50;
const slewRate = 0.1;

/** Starts at the wall clock's time and advances with the steady clock. */
export function createClock({ wall, steady, onApart, onTogether }: ClockSources): Clock {
  /** The time at `since`, and how much of the other clock's lead was left to follow. */
  let time = wall();
  let since = steady();
  let leadMs = 0;
  let isApart = false;

  function exactly(): number {
    const elapsed = steady() - since;
    const slewed = Math.min(elapsed * slewRate, Math.abs(leadMs));
    return time + elapsed + Math.sign(leadMs) * slewed;
  }

  function goOnFrom(newTime: number, newLeadMs: number): void {
    time = newTime;
    since = steady();
    leadMs = newLeadMs;
  }

  return {
    now: () => Math.floor(exactly()),
    follow(aheadMs) {
      const wasApart = isApart;
      isApart = Math.abs(aheadMs) > (wasApart ? togetherMs : apartMs);
      goOnFrom(exactly(), isApart ? aheadMs : 0);
      if (isApart && !wasApart) onApart(aheadMs);
      if (!isApart && wasApart) onTogether();
    },
    startAt(startTime) {
      goOnFrom(Math.max(exactly(), startTime), 0);
    },
  };
}
