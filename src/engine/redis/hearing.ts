import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { RedisLink } from "../../redis/interface.ts";
import { hearingScript } from "./scripts.ts";

/** What a node knows of when heartbeats can be heard, in Redis' time. */
export interface Heard {
  /** Since then some node could hear heartbeats at any time. */
  readonly since: string;
  /** When Redis said so. */
  readonly at: string;
  /** Another node could hear just before, so that this one's own troubles kept no lobby from being heard. */
  readonly isAmongOthers: boolean;
}

/**
 * Keeps in Redis when some node could last hear heartbeats. When nobody could for a while, all heartbeat clocks start over
 * from the moment at which somebody can again, by one number that every command carries to its namespace.
 */
export interface Hearing {
  /** What is known, if it is new enough for a command. */
  known(): Heard | null;
  /** Redis' time, or a little later. */
  redisNow(): number;
  /** Asks Redis, whatever is known. */
  again(): Promise<Heard>;
  /** From now on this node hears heartbeats. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const beatEveryMs = 500;
/** Scripts refuse what was told more than 4 seconds ago (frame.lua); half of that is for the way. */
const knownForMs = 2_000;
/** Nobody but a node that starts would be unheard of for so long: it has nobody beside it. */
const startGapMs = 1_500;
/** A node that hears may be kept from saying so for a moment. Longer than a command's knowledge holds. */
const gapMs = 5_000;

export function createHearing(link: RedisLink, prefix: string): Hearing {
  const key = `${prefix}:{hearing}:beat`;
  let isHearing = false;
  let hasBeaten = false;
  let last: { readonly heard: Heard; readonly askedAt: number } | null = null;
  let asking: Promise<Heard> | null = null;
  let isClosed = false;

  async function ask(): Promise<Heard> {
    const askedAt = performance.now();
    const isBeat = isHearing;
    const args = [isBeat ? "1" : "0", String(isBeat && hasBeaten ? gapMs : startGapMs)];
    // A border: only our own script answers.
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

  // Redis is away: the next command asks, and fails if it still is.
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
