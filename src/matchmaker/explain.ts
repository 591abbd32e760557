import type { Candidate, CandidateCode, Explanation, FindRequest } from "./commands.ts";
import { type Gathered, type GatherWish, gatherCandidates } from "./explain-gather.ts";
import { pairKey } from "./pair.ts";
import { compareFullest, type Lobby, listTagKeys, type NamespaceRecord, takenSeats } from "./records.ts";
import { findPool, type State } from "./state.ts";

const candidatesMax = 20;

/** From the nearest to a fit to the farthest from it. */
const obstacles = [
  "party_does_not_fit",
  "full",
  "missing_tags",
  "closed",
  "closed_by_operator",
  "silent",
  "other_version",
] as const;

/**
 * Why a find takes the chosen lobby and none of the others; `chosen` is null when it takes none of those that are there.
 * Call it before the find changes anything. How much it looks at is bounded, however many lobbies there are.
 */
export function explainFind(
  state: State,
  namespace: NamespaceRecord,
  request: FindRequest,
  chosen: Lobby | null,
): Explanation {
  const wish = toWish(request, namespace.maxPlayers, namespace.deployedVersionId);
  return judgeCandidates(gatherCandidates(state, wish), countPrivate(state, wish), wish, request, chosen);
}

export function toWish(request: FindRequest, maxPlayers: number, versionId: string | null): GatherWish {
  const [pairs, tagKeys] = [distinctPairs(request), listTagKeys(request.tags)];
  return { pairs, tagKeys, seats: request.playerIds.length, maxPlayers, versionId };
}

/** The same for whichever engine has gathered them. */
export function judgeCandidates(
  gathered: Pick<Gathered, "lobbies" | "isCut">,
  privateCount: number,
  wish: GatherWish,
  request: FindRequest,
  chosen: Lobby | null,
): Explanation {
  const lobbies = chosen === null ? gathered.lobbies : gathered.lobbies.add(chosen);
  const judged = [...lobbies].map((lobby) => judge(lobby, wish, request, chosen)).sort(compareNearness);
  return {
    candidates: judged.slice(0, candidatesMax).map(({ candidate }) => candidate),
    hasMore: gathered.isCut || judged.length > candidatesMax,
    privateCount,
  };
}

/** Each pair once, with the place at which it is first asked for. */
function distinctPairs({ pairs }: FindRequest): GatherWish["pairs"] {
  const distinct: Map<string, { gameMode: string; region: string; place: number }> = new Map();
  for (const [place, { gameMode, region }] of pairs.entries()) {
    const key = pairKey(gameMode, region);
    if (!distinct.has(key)) distinct.set(key, { gameMode, region, place });
  }
  return distinct;
}

interface Judged {
  readonly lobby: Lobby;
  readonly candidate: Candidate;
  /** How many things keep it from fitting; -1: it was chosen. */
  readonly misses: number;
  readonly place: number;
  readonly seatsMissing: number;
}

function judge(lobby: Lobby, wish: GatherWish, request: FindRequest, chosen: Lobby | null): Judged {
  const { gameMode, region } = lobby.pool;
  const taken = takenSeats(lobby);
  const cap = Math.min(lobby.maxPlayers, wish.maxPlayers);
  const missingTags = Object.keys(request.tags).filter((name) => lobby.tags[name] !== request.tags[name]);
  const isInTheWay: Record<(typeof obstacles)[number], boolean> = {
    party_does_not_fit: taken < cap && taken + wish.seats > cap,
    full: taken >= cap,
    missing_tags: missingTags.length > 0,
    closed: lobby.isClosed,
    closed_by_operator: lobby.operatorClose !== null,
    silent: lobby.silentSince !== null,
    other_version: !lobby.pool.isDeployed,
  };
  const inTheWay = obstacles.filter((code) => isInTheWay[code]);
  const codes = inTheWay.length > 0 ? inTheWay : [whyItLost(lobby, chosen)];
  return {
    lobby,
    candidate: { lobbyId: lobby.id, gameMode, region, codes, taken, cap, missingTags },
    misses: lobby === chosen ? -1 : inTheWay.length,
    place: wish.pairs.get(pairKey(gameMode, region))?.place ?? 0,
    seatsMissing: Math.max(0, taken + wish.seats - cap),
  };
}

/** A lobby that fits is passed over only for a better one, or because the client may have no more seats at all. */
function whyItLost(lobby: Lobby, chosen: Lobby | null): CandidateCode {
  if (chosen === null) return "client_limit";
  if (lobby === chosen) return "chosen";
  if (lobby.pool !== chosen.pool) return "other_pair_first";
  if (isReady(lobby) !== isReady(chosen)) return "not_ready";
  if (takenSeats(lobby) !== takenSeats(chosen)) return "less_full";
  return lobby.createdAt !== chosen.createdAt ? "newer" : "larger_id";
}

function isReady(lobby: Lobby): boolean {
  return lobby.readyAt !== null;
}

/** Lobbies that fit come in the order in which find would take them, the others by how little is in their way. */
function compareNearness(a: Judged, b: Judged): number {
  if (a.misses !== b.misses) return a.misses - b.misses;
  const tail = Number(isReady(b.lobby)) - Number(isReady(a.lobby)) || compareFullest(a.lobby, b.lobby);
  if (a.misses <= 0) return a.place - b.place || tail;
  return (
    farthest(a) - farthest(b) ||
    a.place - b.place ||
    a.seatsMissing - b.seatsMissing ||
    a.candidate.missingTags.length - b.candidate.missingTags.length ||
    tail
  );
}

function farthest({ candidate }: Judged): number {
  const codes: readonly (CandidateCode | undefined)[] = obstacles;
  return codes.indexOf(candidate.codes.at(-1));
}

function countPrivate(state: State, { versionId, pairs }: GatherWish): number {
  let count = 0;
  if (versionId === null) return count;
  for (const { gameMode, region } of pairs.values()) {
    count += findPool(state, versionId, gameMode, region)?.privateCount ?? 0;
  }
  return count;
}
