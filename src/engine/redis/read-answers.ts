import type { Answer, LobbyView, NamespaceQueryOf, NamespaceQueryType, Pair } from "../../matchmaker/commands.ts";
import { accept } from "../../matchmaker/outcome.ts";
import { readExplanation, type WrittenGathering } from "./read-explanation.ts";
import { readRefusal, type WrittenAnswer } from "./read-outcomes.ts";
import { parseTime, readPlayer, readView, type WrittenPlayer, type WrittenView } from "./read-views.ts";

/** Reads the answers of scripts to queries. The casts are safe: only Foyer's own scripts write these. */
export function readAnswer<T extends NamespaceQueryType>(
  query: NamespaceQueryOf<T>,
  written: WrittenAnswer,
): Answer<T> {
  const read: Reader<T> = readers[query.type as T];
  return read(written.slice(1), query, written);
}

type Reader<T extends NamespaceQueryType> = (
  parts: readonly unknown[],
  query: NamespaceQueryOf<T>,
  written: WrittenAnswer,
) => Answer<T>;

function readSeat([player, view]: readonly unknown[]): Answer<"seat"> {
  if (player === null) return null;
  return { player: readPlayer(player as WrittenPlayer), lobby: readView(view as WrittenView) };
}

const readers: { readonly [T in NamespaceQueryType]: Reader<T> } = {
  lobby([view]) {
    return view === null ? null : readView(view as WrittenView);
  },

  seat: readSeat,
  seatByKey: readSeat,

  listLobbies(parts) {
    const { lobbies, last } = readPage(parts);
    return { lobbies, next: last && { gameMode: last.gameMode, region: last.region, lobbyId: last.lobbyId } };
  },

  listAllLobbies(parts) {
    const { lobbies, last } = readPage(parts);
    return { lobbies, next: last?.lobbyId ?? null };
  },

  pickLobbies([views, next]) {
    return { lobbies: (views as readonly WrittenView[]).map(readView), next: (next as string | null) ?? null };
  },

  players([written]) {
    const players = (written as readonly WrittenPlayer[]).map(readPlayer);
    return players.sort((a, b) => a.reservedAt - b.reservedAt || (a.playerId < b.playerId ? -1 : 1));
  },

  statistics([total, written]) {
    const pairs = new Map<string, Pair & { playerCount: number }>();
    for (const [gameMode = "", region = "", taken] of written as readonly string[][]) {
      if (taken === "0") continue;
      const key = `${gameMode} ${region}`;
      const playerCount = (pairs.get(key)?.playerCount ?? 0) + Number(taken);
      pairs.set(key, { gameMode, region, playerCount });
    }
    return { playerCount: Number(total), pairs: sortedByKey(pairs) };
  },

  counts(parts) {
    const [revision, starting, ready, reserved, connected, held, nextDueAt] = parts as readonly string[];
    return {
      revision: parseTime(revision),
      starting: Number(starting),
      ready: Number(ready),
      reserved: Number(reserved),
      connected: Number(connected),
      held: Number(held),
      nextDueAt: parseTime(nextDueAt),
    };
  },

  missingIdle([roomText, written]) {
    let room = Number(roomText);
    const missing: (Pair & { missing: number })[] = [];
    const wanted = new Map((written as readonly string[][]).map((one) => [`${one[0]}/${one[1]}`, one]));
    for (const [gameMode = "", region = "", min, there] of sortedByKey(wanted)) {
      const count = Math.min(room, Number(min) - Number(there));
      if (count <= 0) continue;
      missing.push({ gameMode, region, missing: count });
      room -= count;
    }
    return missing;
  },

  previewFind([view, gathered], query, written) {
    if (written[0] === "NO") return readRefusal(written, query);
    const lobby = view === null ? null : readView(view as WrittenView);
    const preview = accept({ lobby, wouldCreate: lobby === null });
    if (gathered === undefined || gathered === null) return preview;
    return { ...preview, explanation: readExplanation(gathered as WrittenGathering, query) };
  },
};

function readPage(parts: readonly unknown[]): { lobbies: LobbyView[]; last: LobbyView | null } {
  const [views, hasMore] = parts as readonly [readonly WrittenView[], string];
  const lobbies = views.map(readView);
  return { lobbies, last: hasMore === "1" ? (lobbies.at(-1) ?? null) : null };
}

function sortedByKey<T>(entries: ReadonlyMap<string, T>): T[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
