/** How long a claimant that held or asked for a slot still counts as a claimant. */
export const claimMs = 10 * 60_000;

/** A number of slots, and a claimant that may want one more of them. */
export interface Claim {
  readonly places: number;
  readonly free: number;
  /** How many of them this claimant holds. */
  readonly held: number;
  /** The number of claimants, this one included; called only when it matters. */
  claimants(): number;
}

/**
 * How many more slots a claimant gets: up to an equal share of all, and beyond it while more than a quarter is free. A
 * single claimant gets all of them.
 */
export function furtherPlaces({ places, free, held, claimants }: Claim): number {
  if (free <= 0) return 0;
  if (!Number.isFinite(free)) return free;
  const share = Math.ceil(places / claimants());
  return Math.min(free, Math.max(0, share - held, free - Math.ceil(places / 4)));
}

/** Whether a claimant gets one more slot. Usually this needs no count of the claimants. */
export function getsAnother(claim: Claim): boolean {
  return claim.free > Math.ceil(claim.places / 4) || furtherPlaces(claim) > 0;
}

/** The slots of one node. */
export interface NodePlaces {
  readonly places: number;
  readonly free: number;
  heldBy(who: string): number;
  /** The number of claimants, that one included. */
  claimants(who: string): number;
}

/** The claim of `who` on a node's slots while slots are being taken: `all` in total, `own` by this claimant. */
export function claimOn(node: NodePlaces, who: string, taking: { readonly all: number; readonly own: number }): Claim {
  return {
    places: node.places,
    free: node.free - taking.all,
    held: node.heldBy(who) + taking.own,
    claimants: () => node.claimants(who),
  };
}

/** Which claimants hold how many slots, and which ones recently held or asked for one. */
export interface Holdings {
  total(): number;
  heldBy(who: string): number;
  add(who: string, now: number): void;
  remove(who: string, now: number): void;
  /** Asks for a slot without getting one. */
  note(who: string, now: number): void;
  /**
   * Every claimant with the number of slots that it holds: 0 if it only held or asked for one recently. Changes with
   * time.
   */
  counts(now: number): ReadonlyMap<string, number>;
}

export function createHoldings(): Holdings {
  const counts = new Map<string, number>();
  /** When claimants that hold nothing last held or asked for a slot; the oldest entry comes first. */
  const lastAt = new Map<string, number>();
  let total = 0;

  function forgetOld(now: number): void {
    for (const [who, at] of lastAt) {
      if (at + claimMs > now) return;
      lastAt.delete(who);
      counts.delete(who);
    }
  }

  function note(who: string, now: number): void {
    if ((counts.get(who) ?? 0) > 0) return;
    forgetOld(now);
    counts.set(who, 0);
    lastAt.delete(who);
    lastAt.set(who, now);
  }

  return {
    total: () => total,
    heldBy: (who) => counts.get(who) ?? 0,
    add(who, now) {
      forgetOld(now);
      total += 1;
      counts.set(who, (counts.get(who) ?? 0) + 1);
      lastAt.delete(who);
    },
    remove(who, now) {
      const held = counts.get(who) ?? 0;
      if (held === 0) return;
      total -= 1;
      counts.set(who, held - 1);
      note(who, now);
    },
    note,
    counts(now) {
      forgetOld(now);
      return counts;
    },
  };
}

/** Slots of which each namespace and each token has a share. */
export interface SharedPlaces {
  /** Null: no slot is free, or none for this owner. */
  take(of: PlaceOwner, now: number): TakenPlace | null;
  taken(): number;
}

export interface PlaceOwner {
  readonly namespaceId: string;
  /** The token of the caller; all callers with the same token share its part. */
  readonly tokenId: string;
}

export interface TakenPlace {
  /** May be called more than once. */
  leave(now: number): void;
}

export function createSharedPlaces(places: number): SharedPlaces {
  const namespaces = createHoldings();
  /** By namespace and token. */
  const pairs = createHoldings();

  function mayNamespace({ namespaceId }: PlaceOwner, free: number, now: number): boolean {
    const claimants = () => namespaces.counts(now).size;
    return getsAnother({ places, free, held: namespaces.heldBy(namespaceId), claimants });
  }

  /**
   * Within a namespace, a token has a share of the namespace's slots. Over all namespaces, it is one claimant beside
   * the namespaces that it does not use, so that it gains nothing by asking in many.
   */
  function mayToken(owner: PlaceOwner, free: number, now: number): boolean {
    if (free > Math.ceil(places / 4)) return true;
    const { inNamespace, ofToken, heldByToken } = countPairs(pairs.counts(now), owner);
    const claimants = namespaces.counts(now).size;
    const namespaceShare = Math.ceil(places / claimants);
    const isInShare = pairs.heldBy(pairKey(owner)) < Math.ceil(namespaceShare / inNamespace);
    return isInShare && heldByToken < Math.ceil(places / (claimants - ofToken + 1));
  }

  return {
    take(owner, now) {
      const { namespaceId } = owner;
      const pair = pairKey(owner);
      namespaces.note(namespaceId, now);
      pairs.note(pair, now);
      const free = places - namespaces.total();
      if (!mayNamespace(owner, free, now) || !mayToken(owner, free, now)) return null;
      namespaces.add(namespaceId, now);
      pairs.add(pair, now);
      let isLeft = false;
      return {
        leave(at) {
          if (isLeft) return;
          isLeft = true;
          namespaces.remove(namespaceId, at);
          pairs.remove(pair, at);
        },
      };
    },
    taken: () => namespaces.total(),
  };
}

function pairKey({ namespaceId, tokenId }: PlaceOwner): string {
  return `${namespaceId} ${tokenId}`;
}

/**
 * The number of tokens that claim slots in the owner's namespace, the number of namespaces where its token claims
 * slots, and how many it holds.
 */
function countPairs(counts: ReadonlyMap<string, number>, { namespaceId, tokenId }: PlaceOwner) {
  const [beginning, end] = [`${namespaceId} `, ` ${tokenId}`];
  let [inNamespace, ofToken, heldByToken] = [0, 0, 0];
  for (const [pair, held] of counts) {
    if (pair.startsWith(beginning)) inNamespace += 1;
    if (!pair.endsWith(end)) continue;
    ofToken += 1;
    heldByToken += held;
  }
  return { inNamespace, ofToken, heldByToken };
}
