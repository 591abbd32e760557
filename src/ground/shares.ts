/** How long somebody who held or asked for a place counts among those who want one. */
export const claimMs = 10 * 60_000;

/** Some places, and one who may want another of them. */
export interface Claim {
  readonly places: number;
  readonly free: number;
  /** How many of them this one holds. */
  readonly held: number;
  /** How many want some, this one included; asked only when it matters. */
  claimants(): number;
}

/**
 * How many more of the places one gets: up to an equal share of all, and beyond it while more than a quarter is free.
 * Who is alone gets all of them.
 */
export function furtherPlaces({ places, free, held, claimants }: Claim): number {
  if (free <= 0) return 0;
  if (!Number.isFinite(free)) return free;
  const share = Math.ceil(places / claimants());
  return Math.min(free, Math.max(0, share - held, free - Math.ceil(places / 4)));
}

/** The same question of one more place, which mostly needs no count of those who want some. */
export function getsAnother(claim: Claim): boolean {
  return claim.free > Math.ceil(claim.places / 4) || furtherPlaces(claim) > 0;
}

/** The places of one node, of which many have some. */
export interface NodePlaces {
  readonly places: number;
  readonly free: number;
  heldBy(who: string): number;
  /** How many want some, that one included. */
  claimants(who: string): number;
}

/** What somebody may claim of a node's places when so many are being taken: `all` in total, `own` by itself. */
export function claimOn(node: NodePlaces, who: string, taking: { readonly all: number; readonly own: number }): Claim {
  return {
    places: node.places,
    free: node.free - taking.all,
    held: node.heldBy(who) + taking.own,
    claimants: () => node.claimants(who),
  };
}

/** Who holds how many places, and who held or asked for one a short while ago. */
export interface Holdings {
  total(): number;
  heldBy(who: string): number;
  add(who: string, now: number): void;
  remove(who: string, now: number): void;
  /** Asks for a place without getting one. */
  note(who: string, now: number): void;
  /** Everybody who wants places, with how many they hold: 0 when they only held or asked for one. Changes with time. */
  counts(now: number): ReadonlyMap<string, number>;
}

export function createHoldings(): Holdings {
  const counts = new Map<string, number>();
  /** When those who hold nothing last held or asked for something; whoever has been waiting longest comes first. */
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

/** Places of which each namespace and each token has a share. */
export interface SharedPlaces {
  /** Null: no place is free, or none for this one. */
  take(of: PlaceOwner, now: number): TakenPlace | null;
  taken(): number;
}

export interface PlaceOwner {
  readonly namespaceId: string;
  /** The token that asks; whoever has the same one shares its part. */
  readonly tokenId: string;
}

export interface TakenPlace {
  /** Once or more often. */
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
   * Within its namespace a token has a share of the namespace's. Over all of them it is one claimant beside the namespaces
   * that it does not use, so that it gets no more by asking in many.
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

/** The tokens that want places in the owner's namespace, the namespaces in which its token does, and what that holds. */
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
