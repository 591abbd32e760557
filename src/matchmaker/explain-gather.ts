import type { Pair } from "./commands.ts";
import { orderedBefore, orderedFrom, orderedItems } from "./ordered-set.ts";
import { type Lobby, type Pool, takenSeats } from "./records.ts";
import { findPool, pairKey, type State } from "./state.ts";

/** What a find asks for, as far as it decides which lobbies are worth telling about. */
export interface GatherWish {
  /** By pairKey, in the order in which they are tried. */
  readonly pairs: ReadonlyMap<string, Pair & { readonly place: number }>;
  readonly tagKeys: readonly string[];
  readonly seats: number;
  readonly maxPlayers: number;
  readonly versionId: string | null;
}

/** All lobbies of one request together, so that neither many lobbies nor many pairs make an explanation expensive. */
const looksMax = 2_000;
/** From one ordered set; each is walked from the lobbies nearest to a fit outwards. */
const looksPerSetMax = 24;
/** With several tags the fits are not next to one another, so it is worth looking farther. */
const looksPerSetWithTagsMax = 200;
const poolsMax = 10_000;

interface Gathered {
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
  let poolsLeft = poolsMax;
  for (const pool of state.pools.values()) {
    if (poolsLeft-- === 0 || gathered.looksLeft === 0) {
      gathered.isCut = true;
      break;
    }
    if (!pool.isDeployed && wish.pairs.has(pairKey(pool.gameMode, pool.region))) gatherPool(pool, wish, gathered);
  }
  return gathered;
}

/** In each set of equally large lobbies: those that have the seats from the best on, and those that just lack them. */
function gatherPool(pool: Pool, wish: GatherWish, gathered: Gathered): void {
  const looks = wish.tagKeys.length > 1 ? looksPerSetWithTagsMax : looksPerSetMax;
  for (const tagKey of [...wish.tagKeys, ""]) {
    for (const { maxPlayers, lobbies } of pool.groups.get(tagKey)?.sizes ?? []) {
      const takenMax = Math.min(maxPlayers, wish.maxPlayers) - wish.seats;
      const isTooFull = (lobby: Lobby) => takenSeats(lobby) > takenMax;
      take(orderedFrom(lobbies, isTooFull), looks, gathered);
      take(orderedBefore(lobbies, isTooFull), looksPerSetMax, gathered);
    }
  }
  take(orderedItems(pool.barred), looksPerSetMax, gathered);
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
