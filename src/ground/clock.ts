/** The core's time: deadlines, timestamps and new ids go by it, and a step of the wall clock does not move it. */
export interface Clock {
  /** Whole milliseconds since 1970. Never runs backwards. */
  now(): number;
  /**
   * Another clock, which people set, is so far ahead of this one (negative: behind). Beyond a second it is followed until
   * both agree, by at most a tenth of the time that passes. Call it about once a second.
   */
  follow(aheadMs: number): void;
  /** Goes to a later time at once. Only for the start: nothing may have been decided yet. */
  startAt(time: number): void;
}

export interface ClockSources {
  /** The time of day, which anybody may set. */
  wall(): number;
  /** Milliseconds that only ever rise, from any beginning. */
  steady(): number;
  /** The followed clock has come apart from this one. */
  onApart(aheadMs: number): void;
  onTogether(): void;
}

const apartMs = 1_000;
const togetherMs = 50;
const slewRate = 0.1;

/** Begins with the wall clock and goes on by the steady one. */
export function createClock({ wall, steady, onApart, onTogether }: ClockSources): Clock {
  /** What the time was at `since`, and how much of the other clock's lead was still to be followed. */
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
