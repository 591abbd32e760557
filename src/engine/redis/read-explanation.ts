import type { Explanation, FindRequest, LobbyView } from "../../matchmaker/commands.ts";
import { judgeCandidates, toWish } from "../../matchmaker/explain.ts";
import { createPool } from "../../matchmaker/pools.ts";
import { type Lobby, listTagKeys, lobbyKind, type Pool } from "../../matchmaker/records.ts";
import { readView, type WrittenView } from "./read-views.ts";

/** What gathering.lua writes. */
export type WrittenGathering = readonly [
  isCut: string,
  privateCount: string,
  maxPlayers: string,
  versionId: string | null,
  chosenId: string | null,
  views: readonly WrittenView[],
];

/** The script gathers, as of the moment of the decision; the judging is the same as for every engine. */
export function readExplanation(written: WrittenGathering, request: FindRequest): Explanation {
  const [isCut, privateCount, maxPlayers, versionId, chosenId, views] = written;
  const pools = new Map<string, Pool>();
  const lobbies = new Set(views.map((view) => toLobby(readView(view), pools)));
  const chosen = [...lobbies].find(({ id }) => id === chosenId) ?? null;
  const wish = toWish(request, Number(maxPlayers), versionId);
  return judgeCandidates({ lobbies, isCut: isCut === "1" }, Number(privateCount), wish, request, chosen);
}

function toLobby(view: LobbyView, pools: Map<string, Pool>): Lobby {
  const { lobbyId, isOutdated, isSilent: _, peakSeats, emptySince, ...facts } = view;
  const { versionId, gameMode, region } = facts;
  const key = `${versionId} ${gameMode} ${region}`;
  const pool = pools.get(key) ?? createPool(versionId, gameMode, region);
  pool.isDeployed = !isOutdated;
  pools.set(key, pool);
  const derived = { tagKeys: listTagKeys(view.tags), players: [], dueAt: Infinity };
  const since = { emptySince: emptySince ?? 0, peakBefore: peakSeats };
  return { ...facts, isMute: false, ...since, ...derived, kind: lobbyKind, id: lobbyId, pool };
}
