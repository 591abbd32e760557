import { RuleFailed } from "../../ground/unavailable.ts";
import type { RedisLink } from "../../redis/interface.ts";
import { parseTime } from "./read-views.ts";
import { nextDueScript } from "./scripts.ts";

/** When something is next due in a namespace, as far as is known. */
interface NextDue {
  readonly isThere: boolean;
  readonly nextDueAt: number | null;
}

/**
 * The set of namespaces in Redis. In a Cluster it is on another server than most of them, so a failover may lose a
 * member: every node adds the namespaces that it uses again.
 */
export interface NamespaceList {
  ids(): Promise<string[]>;
  add(namespaceId: string): Promise<void>;
  /** It is there: this process was answered so. */
  use(namespaceId: string): void;
  /** Something may have changed in it. */
  invalidate(namespaceId: string): void;
  /** Those that are there. One in which nothing seems to have happened is asked now and then only. */
  all(ids: readonly string[]): Promise<readonly { readonly namespaceId: string; readonly nextDueAt: number | null }[]>;
  close(): void;
}

/** A change whose message was lost is found after this time, or after up to twice as long. */
const askEveryMs = 20_000;
const atOnce = 64;
const sayAgainMs = 5_000;

export function createNamespaceList(link: RedisLink, prefix: string): NamespaceList {
  const key = `${prefix}:namespaces`;
  const known = new Map<string, NextDue & { readonly until: number }>();
  /** The latest question about each. Invalidating an answer that has not arrived removes its question. */
  const asking = new Map<string, symbol>();
  const used = new Set<string>();

  async function ask(namespaceId: string): Promise<NextDue> {
    const earlier = known.get(namespaceId);
    if (earlier && performance.now() < earlier.until) return earlier;
    invalidate(namespaceId);
    const question = Symbol();
    asking.set(namespaceId, question);
    const found = await nextDue(namespaceId);
    const until = performance.now() + askEveryMs * (1 + Math.random());
    const isCurrent = asking.get(namespaceId) === question;
    if (isCurrent) asking.delete(namespaceId);
    if (isCurrent && found.isThere) known.set(namespaceId, { ...found, until });
    return found;
  }

  async function nextDue(namespaceId: string): Promise<NextDue> {
    try {
      // The cast is safe: only Foyer's own script answers.
      const [isThere, dueAt] = (await link.run(nextDueScript, `${prefix}:{${namespaceId}}:ns`, [])) as [string, string];
      return { isThere: isThere === "1", nextDueAt: parseTime(dueAt) };
    } catch (error) {
      if (!(error instanceof RuleFailed)) throw error;
      // It keeps no other namespace from being listed; the command that tries to do what is due says what is wrong.
      return { isThere: true, nextDueAt: 0 };
    }
  }

  function invalidate(namespaceId: string): void {
    known.delete(namespaceId);
    asking.delete(namespaceId);
  }

  async function unlist(namespaceId: string): Promise<void> {
    used.delete(namespaceId);
    await link.call("SREM", key, [namespaceId]);
    if ((await ask(namespaceId)).isThere) await link.call("SADD", key, [namespaceId]);
  }

  async function sayAgain(): Promise<void> {
    const ids = [...used];
    used.clear();
    while (ids.length > 0) await link.call("SADD", key, ids.splice(0, 1000));
  }

  // Redis is unavailable: the next interval adds the namespaces.
  const timer = setInterval(() => void sayAgain().catch(() => undefined), sayAgainMs);
  timer.unref();

  return {
    ids: async () => (await link.call("SMEMBERS", key)) as string[],
    async add(namespaceId) {
      invalidate(namespaceId);
      await link.call("SADD", key, [namespaceId]);
    },
    use: (namespaceId) => void used.add(namespaceId),
    invalidate,
    async all(ids) {
      const there: { namespaceId: string; nextDueAt: number | null }[] = [];
      for (let from = 0; from < ids.length; from += atOnce) {
        const some = ids.slice(from, from + atOnce);
        const found = await Promise.all(some.map(ask));
        for (const [at, namespaceId] of some.entries()) {
          const { isThere, nextDueAt } = found[at]!;
          if (isThere) there.push({ namespaceId, nextDueAt });
          else await unlist(namespaceId);
        }
      }
      return there;
    },
    close: () => clearInterval(timer),
  };
}
