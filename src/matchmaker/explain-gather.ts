import type { Pair } from "./commands.ts";
import { orderedBefore, orderedFrom, orderedItems } from "./ordered-set.ts";
import { pairKey } from "./pair.ts";
import { type Group, type Lobby, type Pool, takenSeats } from "./records.ts";
import { constants } from "./schema.ts";
import { findPool, type State } from "./state.ts";

/** The part of a find that decides which lobbies an explanation includes. */
export interface GatherWish {
  /** By pairKey, in the order in which they are tried. */
  readonly pairs: ReadonlyMap<string, Pair & { readonly place: number }>;
  readonly tagKeys: readonly string[];
  readonly seats: number;
  readonly maxPlayers: number;
  readonly versionId: string | null;
}

const { looksMax, looksPerSetMax, looksPerSetWithTagsMax } = constants;

export interface Gathered {
  readonly lobbies: Set<Lobby>;
  /** Something was left out because there was too much of it. */
  isCut: boolean;
  looksLeft: number;
}

/** The lobbies nearest to what is wished for, public and living ones only; bounded in number and in effort. */
export function gatherCandidates(state: State, wish: GatherWish): Gathered {
  const gathered: Gathered = { lobbies: new Set(), isCut: false, looksLeft: looksMax };
  if (wish.versionId !== null) {
    for (const { gameMode, region } of wish.pairs.values()) {
      const pool = findPool(state, wish.versionId, gameMode, region);
      if (pool !== undefined) gatherPool(pool, wish, gathered);
    }
  }
  for (const pool of otherPools(state, wish)) {
    if (gathered.looksLeft === 0) {
      gathered.isCut = true;
      break;
    }
    gatherPool(pool, wish, gathered);
  }
  return gathered;
}

/** Those of other versions, in an order that every engine has. */
function otherPools(state: State, { pairs }: GatherWish): Pool[] {
  return [...state.pools.values()]
    .filter((pool) => !pool.isDeployed && pairs.has(pairKey(pool.gameMode, pool.region)))
    .sort(
      (a, b) => compare(a.versionId, b.versionId) || compare(a.gameMode, b.gameMode) || compare(a.region, b.region),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** In each set of equally large lobbies: those that have the seats from the best on, and those that just lack them. */
function gatherPool(pool: Pool, wish: GatherWish, gathered: Gathered): void {
  const looks = wish.tagKeys.length > 1 ? looksPerSetWithTagsMax : looksPerSetMax;
  for (const tagKey of [...wish.tagKeys, ""]) {
    for (const { maxPlayers, lobbies } of listSizes(pool, tagKey)) {
      const takenMax = Math.min(maxPlayers, wish.maxPlayers) - wish.seats;
      const isTooFull = (lobby: Lobby) => takenSeats(lobby) > takenMax;
      take(orderedFrom(lobbies, isTooFull), looks, gathered);
      take(orderedBefore(lobbies, isTooFull), looksPerSetMax, gathered);
    }
  }
  take(orderedItems(pool.barred), looksPerSetMax, gathered);
}

/** Ready lobbies first, then the smaller: in an order that every engine has. */
function listSizes(pool: Pool, tagKey: string): Group["sizes"] {
  const sizes = pool.groups.get(tagKey)?.sizes ?? [];
  return sizes.slice().sort((a, b) => Number(b.isReady) - Number(a.isReady) || a.maxPlayers - b.maxPlayers);
}

function take(lobbies: Iterable<Lobby>, looks: number, gathered: Gathered): void {
  let looksLeft = looks;
  for (const lobby of lobbies) {
    if (looksLeft-- === 0 || gathered.looksLeft === 0) {
      gathered.isCut = true;
      return;
    }
    gathered.looksLeft -= 1;
    gathered.lobbies.add(lobby);
  }
}
