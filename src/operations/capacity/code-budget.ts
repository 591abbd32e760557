import { type Counted, networkShare } from "../../ground/rates.ts";
import { refuse } from "../refusal.ts";

const windowMs = 60_000;
/** More than so many are forgotten, the oldest first. About 20 MB when full. */
const keysMax = 100_000;
/** What a client has while the budget of its namespace is spent. */
const spareWrongCodes = 1;

/** How many wrong join codes a client may send in a minute, and all clients of a namespace together. */
export interface CodeBudget {
  /**
   * Holds one wrong code of the client until the code turns out right or wrong, or says that there is none left. It waits
   * while codes of the same client are under way that may use up what is left: one that is right must not be refused.
   */
  hold(namespaceId: string, client: Counted): Promise<CodeHeld | ReturnType<typeof tooManyCodes>>;
}

export interface CodeHeld {
  settle(isWrong: boolean): void;
}

export interface CodeBudgetOptions {
  /** Of one client; 0: no limit at all. */
  readonly perClient: number;
  /** Of one namespace on all nodes; 0: no limit. */
  readonly perNamespace: number;
  /** How many nodes share what a namespace has. */
  nodes(): number;
  /** In milliseconds. */
  monotonic(): number;
}

export function createCodeBudget({ perClient, perNamespace, nodes, monotonic }: CodeBudgetOptions): CodeBudget {
  const networkLimit = perClient * networkShare;
  const clients = createCounts(perClient);
  const networks = createCounts(networkLimit);
  const namespaces = createCounts(perNamespace);

  function isNamespaceSpent(namespaceId: string, now: number, isWithHeld: boolean): boolean {
    if (perNamespace === 0) return false;
    const { used, held } = namespaces.count(namespaceId, now);
    return used + (isWithHeld ? held : 0) >= Math.max(1, Math.floor(perNamespace / nodes()));
  }

  /** What the call has to wait for, or why it is refused; null: it may go on. */
  function blockedBy(namespaceId: string, { id, network }: Counted, now: number) {
    const limitFor = (isWithHeld: boolean) =>
      isNamespaceSpent(namespaceId, now, isWithHeld) ? Math.min(spareWrongCodes, perClient) : perClient;
    const own = clients.count(id, now);
    const ownLimit = limitFor(false);
    if (own.used >= ownLimit) return tooManyCodes(clients.waitS(id, ownLimit, now));
    const wider = network === null ? none : networks.count(network, now);
    if (wider.used >= networkLimit) return tooManyCodes(networks.waitS(network!, networkLimit, now));
    if (own.used + own.held >= ownLimit) return clients.whenSettled(id);
    if (wider.used + wider.held >= networkLimit) return networks.whenSettled(network!);
    // What is under way in the namespace counts, but it may all be right.
    return own.used + own.held >= limitFor(true) ? namespaces.whenSettled(namespaceId) : null;
  }

  return {
    async hold(namespaceId, client) {
      if (perClient === 0) return unlimited;
      for (;;) {
        const blocked = blockedBy(namespaceId, client, monotonic());
        if (blocked === null) break;
        if (!(blocked instanceof Promise)) return blocked;
        await blocked;
      }
      const { id, network } = client;
      clients.hold(id);
      if (network !== null) networks.hold(network);
      namespaces.hold(namespaceId);
      return {
        settle(isWrong) {
          const now = monotonic();
          clients.settle(id, isWrong, now);
          if (network !== null) networks.settle(network, isWrong, now);
          namespaces.settle(namespaceId, isWrong, now);
        },
      };
    },
  };
}

const unlimited: CodeHeld = { settle: () => undefined };
const none = { used: 0, held: 0 };

function tooManyCodes(retryAfterS: number) {
  const message = `Too many wrong join codes from this client. Try again in ${retryAfterS} seconds, or join by lobby_id.`;
  return refuse("API_RATE_LIMIT", message, { retryAfterS });
}

interface Entry {
  held: number;
  /** When wrong codes were sent in the last minute, the earliest first. */
  used: number[];
  /** Called when a held one is settled. */
  waiting: (() => void)[];
}

/** Wrong codes of the last minute, the latest `usedMax` of them, and codes under way, by key. */
function createCounts(usedMax: number) {
  const entries = new Map<string, Entry>();

  function usedBy(entry: Entry, now: number): number[] {
    if (entry.used.length > 0 && entry.used[0]! <= now - windowMs) {
      entry.used = entry.used.filter((at) => at > now - windowMs);
    }
    return entry.used;
  }

  /** Entries stand in the order of their first code. One with codes under way is never forgotten. */
  function forgetOldest(): void {
    for (const [key, { held }] of entries) {
      if (entries.size <= keysMax) return;
      if (held === 0) entries.delete(key);
    }
  }

  return {
    count(key: string, now: number): { readonly used: number; readonly held: number } {
      const entry = entries.get(key);
      return entry === undefined ? none : { used: usedBy(entry, now).length, held: entry.held };
    },
    /** Seconds until fewer than `limit` are left of those in the last minute. */
    waitS(key: string, limit: number, now: number): number {
      const used = entries.get(key)?.used ?? [];
      const at = used[used.length - limit] ?? now;
      return Math.max(1, Math.ceil((at + windowMs - now) / 1000));
    },
    whenSettled(key: string): Promise<void> {
      const { waiting } = entries.get(key)!;
      return new Promise((resolve) => waiting.push(resolve));
    },
    hold(key: string): void {
      const entry = entries.get(key) ?? { held: 0, used: [], waiting: [] };
      entry.held += 1;
      entries.set(key, entry);
      if (entries.size > keysMax) forgetOldest();
    },
    settle(key: string, isWrong: boolean, now: number): void {
      const entry = entries.get(key)!;
      entry.held -= 1;
      usedBy(entry, now);
      if (isWrong) entry.used.push(now);
      if (entry.used.length > usedMax) entry.used.shift();
      if (entry.held === 0 && entry.used.length === 0) entries.delete(key);
      for (const resolve of entry.waiting.splice(0)) resolve();
    },
  };
}
