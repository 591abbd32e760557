import type { Pair } from "./pair.ts";

/** Why a find decided as it did, in the rules' own words. Import it from commands.ts. */

/**
 * The first is of the lobby that was taken. The next six are of lobbies that fit and were not taken, the others say
 * why a lobby does not fit.
 */
export type CandidateCode =
  | "chosen"
  /** As full and made at the same moment, but its id is the larger one. */
  | "larger_id"
  | "newer"
  | "less_full"
  /** It is starting, and a ready one was taken. */
  | "not_ready"
  /** A pair of game mode and region that comes earlier in the request has a fit. */
  | "other_pair_first"
  /** The client has as many seats as it may have, so that no lobby was looked for. */
  | "client_limit"
  | "party_does_not_fit"
  | "full"
  | "missing_tags"
  | "closed"
  | "closed_by_operator"
  | "silent"
  | "other_version";

/** A lobby as it was before the find changed anything. */
export interface Candidate extends Pair {
  readonly lobbyId: string;
  /** One code, or everything that keeps the lobby from fitting. */
  readonly codes: readonly CandidateCode[];
  readonly taken: number;
  /** The most seats that finds may take in it. */
  readonly cap: number;
  /** The names of the requested tags that it does not have, or has with another value. */
  readonly missingTags: readonly string[];
}

export interface Explanation {
  /** The chosen one, then the nearest misses first. */
  readonly candidates: readonly Candidate[];
  /** Whether there were more candidates than are shown. */
  readonly hasMore: boolean;
  /** Living private lobbies of the pairs that were asked for, in the deployed version. Their ids are never shown. */
  readonly privateCount: number;
}
