import { randomUUID } from "node:crypto";
import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { RedisLink } from "../../redis/interface.ts";
import { hearingScript } from "./scripts.ts";

/** What a node knows about when nodes could receive heartbeats, in Redis' time. */
export interface Heard {
  /** Since then some node could always receive heartbeats. */
  readonly since: string;
  /** When Redis said so. */
  readonly at: string;
  /** Another node received heartbeats just before, so problems of this node alone kept no lobby from being heard. */
  readonly isAmongOthers: boolean;
}

/**
 * Stores in Redis when some node could last receive heartbeats. When no node could for a while, all heartbeat clocks
 * restart at the time at which one can again, by one number in every command.
 */
export interface Hearing {
  /** What is known, if it is new enough for a command. */
  known(): Heard | null;
  /** Redis' time, or a little later. */
  redisNow(): number;
  /** Asks Redis, whatever is known. */
  again(): Promise<Heard>;
  /** From now on this node receives heartbeats. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const beatEveryMs = 500;
/** Scripts refuse knowledge that is older than 4 seconds (frame.lua); half of that is for the network. */
const knownForMs = 2_000;
/** Only when no other node runs is there no report for this long. */
const startGapMs = 1_500;
/** A node that receives heartbeats may be late with its report. Longer than the knowledge of a command is valid. */
const gapMs = 5_000;

export function createHearing(link: RedisLink, prefix: string): Hearing {
  const key = `${prefix}:{hearing}:beat`;
  const ownId = randomUUID();
  let isHearing = false;
  let hasBeaten = false;
  let last: { readonly heard: Heard; readonly askedAt: number } | null = null;
  let asking: Promise<Heard> | null = null;
  let isClosed = false;

  async function ask(): Promise<Heard> {
    const askedAt = performance.now();
    const isBeat = isHearing;
    const args = [isBeat ? "1" : "0", String(isBeat && hasBeaten ? gapMs : startGapMs), ownId];
    // The cast is safe: only Foyer's own script answers.
    const [since, at, sinceLastMs] = (await link.run(hearingScript, key, args)) as [string, string, string];
    hasBeaten = isBeat;
    const isAmongOthers = sinceLastMs !== "" && Number(sinceLastMs) < startGapMs;
    last = { heard: { since, at, isAmongOthers }, askedAt };
    return last.heard;
  }

  function again(): Promise<Heard> {
    if (isClosed) return Promise.reject(new EngineUnavailable("The engine is closed."));
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  }

  function known(): Heard | null {
    return last !== null && performance.now() - last.askedAt < knownForMs ? last.heard : null;
  }

  // Redis is unavailable: the next command asks, and fails if it still is.
  const timer = setInterval(() => void again().catch(() => undefined), beatEveryMs);
  timer.unref();

  return {
    known,
    again,
    redisNow: () => (last === null ? 0 : Number(last.heard.at) + performance.now() - last.askedAt),
    async start() {
      isHearing = true;
      await asking?.catch(() => undefined);
      await again();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await asking?.catch(() => undefined);
    },
  };
}
