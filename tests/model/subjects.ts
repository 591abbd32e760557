import { randomUUID } from "node:crypto";
import type { Engine } from "../../src/engine/engine.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createRedisEngine } from "../../src/engine/redis/redis.ts";
import { createLog } from "../../src/ground/log.ts";
import { openRedis } from "../../src/redis/connection.ts";
import { withoutGaps } from "../conformance/without-gaps.ts";
import { checkInvariants } from "../support/invariants.ts";
import { createMemoryJournal, type MemoryJournal } from "../support/memory-journal.ts";
import { auditNamespace, dumpNamespace } from "../support/redis-audit.ts";
import { stateHash } from "../support/state-hash.ts";

/** An engine that histories are run on. */
export interface Subject {
  readonly engine: Engine;
  /** What is wrong inside, in words. */
  check(namespaceId: string): string[] | Promise<string[]>;
  /** Equal for equal states. */
  hash(namespaceId: string): string | Promise<string>;
  /** Ends it and starts another on what it stored. */
  restart(): Promise<Subject>;
  /** Its state outlives it with everything in it, also what is not a fact: the time, and when heartbeats came. */
  readonly isStateShared: boolean;
  /** Makes its store refuse, or lets it work again; null: that cannot be done to this one. */
  readonly setFailing: ((isFailing: boolean) => void) | null;
  end(): Promise<void>;
}

export type StartSubject = () => Promise<Subject>;

export const startInMemory: StartSubject = () => onJournal(createMemoryJournal());

async function onJournal(journal: MemoryJournal): Promise<Subject> {
  const engine = await createMemoryEngine(journal);
  const stateOf = (namespaceId: string) => engine.states().get(namespaceId);
  return {
    engine,
    check(namespaceId) {
      const state = stateOf(namespaceId);
      return state === undefined ? [] : checkInvariants(state);
    },
    hash(namespaceId) {
      const state = stateOf(namespaceId);
      return state === undefined ? "" : stateHash(state);
    },
    async restart() {
      await engine.close();
      return onJournal(journal);
    },
    isStateShared: false,
    setFailing(isFailing) {
      journal.isFailing = isFailing;
    },
    end: () => engine.close(),
  };
}

/** Each history has keys of its own. */
export function startOnRedis(url: string): StartSubject {
  return () => onRedis(url, `model-${randomUUID()}`);
}

async function onRedis(url: string, prefix: string): Promise<Subject> {
  const link = await openRedis({ url, log: createLog({ level: "error", format: "json" }) });
  const engine = await createRedisEngine({
    link: withoutGaps(link),
    prefix,
    newOpId: randomUUID,
    wallClock: Date.now,
    isHearing: true,
  });
  async function end(): Promise<void> {
    await engine.close();
    await link.close();
  }
  return {
    engine,
    check: (namespaceId) => auditNamespace(link, prefix, namespaceId),
    hash: async (namespaceId) => JSON.stringify(await dumpNamespace(link, prefix, namespaceId)),
    async restart() {
      // No other node could receive heartbeats.
      await link.call("DEL", `${prefix}:{hearing}:beat`);
      await end();
      return onRedis(url, prefix);
    },
    isStateShared: true,
    setFailing: null,
    end,
  };
}
