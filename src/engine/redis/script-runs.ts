import { setTimeout as sleep } from "node:timers/promises";
import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { RedisLink, Script } from "../../redis/interface.ts";
import type { RedisClock } from "../../redis/redis-clock.ts";
import type { createBatches } from "./batches.ts";
import type { Heard, Hearing } from "./hearing.ts";
import type { WrittenAnswer } from "./read-outcomes.ts";
import { commandScripts } from "./scripts.ts";
import type { Written } from "./write-commands.ts";

/** About as long as one run of it takes. */
const removalPauseMs = 3;

/** What it takes to run a script for a namespace until it has decided. */
export interface ScriptRuns {
  readonly link: RedisLink;
  readonly prefix: string;
  readonly send: ReturnType<typeof createBatches>;
  readonly clock: RedisClock;
  readonly hearing: Hearing;
  /** Namespaces that this node could not reach, and since when by Redis' clock: the next command says so there. */
  readonly unreached: Map<string, number>;
  newOpId(): string;
  wallClock(): number;
  /** The namespace has events up to this position. */
  onTold(namespaceId: string, position: string): void;
  isClosed: boolean;
}

export async function runScript(
  runs: ScriptRuns,
  script: Script,
  namespaceId: string,
  written: Written,
  isLong = false,
): Promise<WrittenAnswer> {
  const since = runs.hearing.redisNow();
  try {
    return await runToEnd(runs, script, namespaceId, written, isLong);
  } catch (error) {
    if (error instanceof EngineUnavailable) noteUnreached(runs, namespaceId, since);
    throw error;
  }
}

export function noteUnreached({ unreached }: ScriptRuns, namespaceId: string, since: number): void {
  if (!unreached.has(namespaceId)) unreached.set(namespaceId, since);
}

export function refuseClosed({ isClosed }: ScriptRuns): void {
  if (isClosed) throw new EngineUnavailable("The engine is closed.");
}

/** A namespace in which very much is due is brought up to date in several runs. */
async function runToEnd(
  runs: ScriptRuns,
  script: Script,
  namespaceId: string,
  written: Written,
  isLong: boolean,
): Promise<WrittenAnswer> {
  for (let again = ""; ; again = "again") {
    const answer = await runOnce(runs, script, namespaceId, written, again, isLong);
    const [kind] = answer;
    if (kind === "ERROR") throw new Error(String(answer[1]));
    const unavailable = unavailableMessages[kind];
    if (unavailable !== undefined) throw new EngineUnavailable(unavailable);
    if (kind !== "MORE") return answer;
    // A removal is less urgent than a seat: it leaves every second turn to other commands.
    if (script === commandScripts.removeNamespace) await sleep(removalPauseMs);
  }
}

const unavailableMessages: { readonly [K in WrittenAnswer[0]]?: string } = {
  LATE: "The command reached Redis too late to be decided.",
  DEAF: "The command came too long after Redis was last asked.",
  EARLY: "This machine's clock is ahead of Redis'.",
  GONE: "The command was answered before, and its answer is no longer stored.",
};

/**
 * One that came too late by what was known of Redis' clock, or too long after hearing was asked for, had no effect. It is
 * sent once more while its caller waits, for by then both are known.
 */
async function runOnce(
  runs: ScriptRuns,
  script: Script,
  namespaceId: string,
  [body, create, made, wishes]: Written,
  again: string,
  isLong: boolean,
): Promise<WrittenAnswer> {
  const { clock, unreached } = runs;
  const giveUpAt = runs.link.giveUpAt();
  const opId = runs.newOpId();
  for (let triesLeft = 1; ; triesLeft--) {
    refuseClosed(runs);
    const { since, at } = await hearNow(runs);
    const sentAt = runs.wallClock();
    const deadline = clock.deadlineOf(namespaceId, giveUpAt, sentAt);
    const unreachedSince = unreached.get(namespaceId);
    const missed = unreachedSince === undefined ? "" : String(unreachedSince);
    const args = [body, opId, String(sentAt), create, made, again, String(deadline), since, at, missed, wishes];
    const key = `${runs.prefix}:{${namespaceId}}:ns`;
    const startedAt = performance.now();
    const [position, answer, redisNow] = await runs.send({ script, key, args, giveUpAt, isLong });
    clock.learn(namespaceId, redisNow, startedAt);
    if (position !== "") runs.onTold(namespaceId, position);
    const isRefused = answer[0] === "LATE" || answer[0] === "DEAF" || answer[0] === "EARLY";
    if (!isRefused && unreached.get(namespaceId) === unreachedSince) unreached.delete(namespaceId);
    if (answer[0] === "DEAF") await runs.hearing.again();
    else if (answer[0] !== "LATE") return answer;
    if (triesLeft === 0 || performance.now() >= giveUpAt) return answer;
  }
}

/** In a Cluster, one server may be unavailable while others work; only its own namespaces know that. */
async function hearNow({ hearing, link, unreached }: ScriptRuns): Promise<Heard> {
  const known = hearing.known();
  if (known) return known;
  const heard = await hearing.again();
  if (heard.isAmongOthers && !link.isCluster) unreached.clear();
  return heard;
}
