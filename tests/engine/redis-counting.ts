import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { createLog, type Logger } from "../../src/ground/log.ts";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import type { RedisLink, Script } from "../../src/redis/interface.ts";

export function script(name: string, text: string): Script {
  return { name, text, sha: createHash("sha1").update(text).digest("hex") };
}

/**
 * As small as a script can be that recognises a resend and a command that comes too late. It writes three keys of one
 * slot, so that a script which saw only some of them would be found out.
 */
const count = script(
  "count",
  `#!lua
local opId, sentAt, lateAfterMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) - sentAt > lateAfterMs then return 'LATE' end
local known = redis.call('GET', KEYS[1] .. ':op:' .. opId)
if known then return known end
local total = redis.call('INCR', KEYS[1])
redis.call('SET', KEYS[1] .. ':op:' .. opId, total, 'PX', 60000)
redis.call('RPUSH', KEYS[1] .. ':done', opId)
return tostring(total)`,
);

export interface Counted {
  readonly acknowledged: ReadonlySet<string>;
  /** Operations that were answered EngineUnavailable or LATE. */
  readonly givenUp: ReadonlySet<string>;
}

export interface Counting {
  /** Waits until so many more operations were acknowledged. */
  more(acknowledged: number): Promise<void>;
  /** Waits until so many more operations were given up. */
  moreGivenUp(operations: number): Promise<void>;
  givenUp(): number;
  /** Waits until nothing is under way; until `goOn` nothing more is sent. */
  pause(): Promise<void>;
  goOn(): void;
  stop(): Promise<Counted>;
}

export interface CountingOptions {
  readonly actors?: number;
  readonly lateAfterMs?: number;
}

/** Actors that count up the keys without pause. What is thrown but EngineUnavailable fails the test that stops them. */
export function startCounting(link: RedisLink, keys: readonly string[], options: CountingOptions = {}): Counting {
  const { actors = 12, lateAfterMs = 10_000 } = options;
  const acknowledged = new Set<string>();
  const givenUp = new Set<string>();
  let isOver = false;
  let isPaused = false;
  let underWay = 0;
  let failure: unknown = null;

  async function act(actor: number): Promise<void> {
    const key = keys[actor % keys.length]!;
    for (let turn = 0; !isOver; turn++) {
      const opId = `${actor}-${turn}`;
      while (isPaused) await setTimeout(5);
      underWay += 1;
      try {
        const answer = await link.run(count, key, [opId, String(Date.now()), String(lateAfterMs)]);
        (answer === "LATE" ? givenUp : acknowledged).add(opId);
      } catch (error) {
        if (!(error instanceof EngineUnavailable)) throw error;
        givenUp.add(opId);
        await setTimeout(10);
      } finally {
        underWay -= 1;
      }
    }
  }

  const running = Promise.all(Array.from({ length: actors }, (_, actor) => act(actor))).catch((error: unknown) => {
    failure = error;
    isOver = true;
  });

  async function grown(noted: ReadonlySet<string>, by: number): Promise<void> {
    const wanted = noted.size + by;
    while (noted.size < wanted) {
      if (failure !== null) throw failure;
      await setTimeout(5);
    }
  }

  return {
    more: (operations) => grown(acknowledged, operations),
    moreGivenUp: (operations) => grown(givenUp, operations),
    givenUp: () => givenUp.size,
    async pause() {
      isPaused = true;
      while (underWay > 0) await setTimeout(1);
    },
    goOn() {
      isPaused = false;
    },
    async stop() {
      isOver = true;
      await running;
      if (failure !== null) throw failure;
      return { acknowledged, givenUp };
    },
  };
}

/** What is there in the end, compared with what was said: nothing twice, and how much of the acknowledged is missing. */
export async function audit(link: RedisLink, keys: readonly string[], { acknowledged, givenUp }: Counted) {
  const done: string[] = [];
  const miscounted: string[] = [];
  for (const key of keys) {
    // Cast: the script wrote a list and a number.
    const list = (await link.call("LRANGE", `${key}:done`, [0, -1])) as string[];
    const total = Number(await link.call("GET", key));
    if (total !== list.length) miscounted.push(`${key} is ${total} and has ${list.length} operations`);
    done.push(...list);
  }
  const once = new Set<string>();
  const twice = done.filter((opId) => once.size === once.add(opId).size);
  return {
    twice,
    miscounted,
    lost: [...acknowledged].filter((opId) => !once.has(opId)).length,
    afterGivenUp: [...givenUp].filter((opId) => once.has(opId)).length,
    nobodys: done.filter((opId) => !acknowledged.has(opId) && !givenUp.has(opId)),
  };
}

/** A log whose lines a test can read. */
export function listeningLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { log: createLog({ level: "debug", format: "json", destination }), lines };
}
