/** Notices that this process did not run for a while: it was frozen, its machine was, or one task kept the event loop busy. */
export interface StallWatch {
  /** Whether it did since the last call of this. Cheap enough for every command. */
  hasStalled(): boolean;
  stop(): void;
}

export interface StallWatchParts {
  /** Milliseconds that only ever increase. */
  steadyNow(): number;
  onStall(ms: number): void;
}

const lookEveryMs = 500;
/** A shorter pause makes no lobby end: heartbeat periods are at least a second, and ten of them may be missing. */
const stalledMs = 5_000;
/** A start on a busy machine takes long, and no operator can act on that. */
const startMs = 60_000;

export function createStallWatch({ steadyNow, onStall }: StallWatchParts): StallWatch {
  const startedAt = steadyNow();
  let lookedAt = startedAt;
  let isNoted = false;

  function look(): void {
    const now = steadyNow();
    const ms = now - lookedAt;
    lookedAt = now;
    if (ms <= stalledMs) return;
    isNoted = true;
    if (now - startedAt > startMs) onStall(ms);
  }
  const timer = setInterval(look, lookEveryMs).unref();

  return {
    hasStalled() {
      look();
      const result = isNoted;
      isNoted = false;
      return result;
    },
    stop: () => clearInterval(timer),
  };
}
