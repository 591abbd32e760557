import { type Counted, networkShare } from "../../ground/rates.ts";

const windowMs = 60_000;
const clientsMax = 10_000;

/** How many lobbies the finds of one client may create in a minute. One is held while a find is decided. */
export type CreationBudget = Budget<Counted>;

interface Budget<Key> {
  /** Seconds until the client may create another one; 0: it may now, and one is held until `settle`. */
  hold(client: Key, now: number): number;
  /** Releases what was held, or counts it for a minute if a lobby was created. */
  settle(client: Key, isUsed: boolean, now: number): void;
  /** Resolves when there is some budget, or when something held is settled; null: the budget is used up. */
  whenFree(client: Key, now: number): Promise<unknown> | null;
}

/** A client has its own budget, and shares the budget of its network with the other clients in it. */
export function createCreationBudget(perMinute: number): CreationBudget {
  const own = createBudget(perMinute);
  const wider = createBudget(perMinute * networkShare);
  return {
    hold({ id, network }, now) {
      const waitS = own.hold(id, now);
      if (waitS > 0 || network === null) return waitS;
      const networkWaitS = wider.hold(network, now);
      if (networkWaitS > 0) own.settle(id, false, now);
      return networkWaitS;
    },
    settle({ id, network }, isUsed, now) {
      own.settle(id, isUsed, now);
      if (network !== null) wider.settle(network, isUsed, now);
    },
    whenFree({ id, network }, now) {
      const ownFree = own.whenFree(id, now);
      if (ownFree === null || network === null) return ownFree;
      const networkFree = wider.whenFree(network, now);
      return networkFree && Promise.all([ownFree, networkFree]);
    },
  };
}

interface Spent {
  held: number;
  used: number[];
  readonly waiting: (() => void)[];
}

function createBudget(perMinute: number): Budget<string> {
  const clients = new Map<string, Spent>();
  let forgottenAt = Number.NEGATIVE_INFINITY;

  function spentBy(clientId: string, now: number) {
    const spent = clients.get(clientId) ?? { held: 0, used: [], waiting: [] };
    spent.used = spent.used.filter((at) => at > now - windowMs);
    return spent;
  }

  /** At most once a second: a flood of clients must not make every find walk through them. */
  function forgetIdle(now: number): void {
    if (Math.abs(now - forgottenAt) < 1_000) return;
    forgottenAt = now;
    for (const [clientId, { held, used }] of clients) {
      if (held === 0 && used.every((at) => at <= now - windowMs)) clients.delete(clientId);
    }
  }

  return {
    hold(clientId, now) {
      if (perMinute === 0) return 0;
      if (clients.size >= clientsMax) forgetIdle(now);
      const spent = spentBy(clientId, now);
      if (spent.held + spent.used.length >= perMinute) {
        return Math.max(1, Math.ceil(((spent.used[0] ?? now) + windowMs - now) / 1000));
      }
      spent.held += 1;
      clients.set(clientId, spent);
      return 0;
    },
    settle(clientId, isUsed, now) {
      if (perMinute === 0) return;
      const spent = spentBy(clientId, now);
      spent.held -= 1;
      if (isUsed) spent.used.push(now);
      if (spent.held === 0 && spent.used.length === 0) clients.delete(clientId);
      for (const resolve of spent.waiting.splice(0)) resolve();
    },
    whenFree(clientId, now) {
      const spent = spentBy(clientId, now);
      if (spent.used.length >= perMinute) return null;
      if (spent.held + spent.used.length < perMinute) return Promise.resolve();
      return new Promise<void>((resolve) => spent.waiting.push(resolve));
    },
  };
}
