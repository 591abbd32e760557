import type { OperatorLobby } from "foyer-sdk";

export interface LobbyFilter {
  /** Part of an id, code or tag. */
  readonly text: string;
  readonly mode: string;
  readonly region: string;
  readonly state: string;
  readonly order: string;
  /** The key of a player with a seat there. */
  readonly key: string;
}

export const states = [
  ["", "All"],
  ["open", "Open to find"],
  ["closed", "Closed"],
  ["full", "Full"],
  ["empty", "Empty"],
  ["starting", "Starting"],
  ["silent", "Silent"],
  ["outdated", "Other version"],
  ["private", "Private"],
] as const;

export const orders = [
  ["newest", "Newest first"],
  ["oldest", "Oldest first"],
  ["fullest", "Fullest first"],
] as const;

const isFull = (lobby: OperatorLobby) => lobby.total_player_count >= lobby.max_players_normal;

const tests: Readonly<Record<string, (lobby: OperatorLobby) => boolean>> = {
  open: (lobby) =>
    !lobby.is_closed && !lobby.is_silent && !lobby.is_outdated && lobby.publicity === "public" && !isFull(lobby),
  closed: (lobby) => lobby.is_closed,
  full: isFull,
  empty: (lobby) => lobby.total_player_count === 0,
  starting: (lobby) => lobby.status === "starting",
  silent: (lobby) => lobby.is_silent,
  outdated: (lobby) => lobby.is_outdated,
  private: (lobby) => lobby.publicity === "private",
};

const comparisons: Readonly<Record<string, (a: OperatorLobby, b: OperatorLobby) => number>> = {
  newest: (a, b) => compare(b.create_ts, a.create_ts) || compare(a.lobby_id, b.lobby_id),
  oldest: (a, b) => compare(a.create_ts, b.create_ts) || compare(a.lobby_id, b.lobby_id),
  fullest: (a, b) => b.total_player_count - a.total_player_count || compare(a.create_ts, b.create_ts),
};

/** The lobbies that the filter lets through, in its order. `withKey`: only these; null: all. */
export function chooseLobbies(
  lobbies: readonly OperatorLobby[],
  { text, mode, region, state, order }: LobbyFilter,
  withKey: ReadonlySet<string> | null,
): OperatorLobby[] {
  const part = text.trim().toLowerCase();
  const hasState = tests[state] ?? (() => true);
  const chosen = lobbies.filter(
    (lobby) =>
      (mode === "" || lobby.game_mode_id === mode) &&
      (region === "" || lobby.region_id === region) &&
      hasState(lobby) &&
      (withKey === null || withKey.has(lobby.lobby_id)) &&
      (part === "" || textsOf(lobby).some((own) => own.toLowerCase().includes(part))),
  );
  return chosen.sort(comparisons[order] ?? comparisons.newest);
}

function textsOf({ lobby_id, code, tags, game_mode_id }: OperatorLobby): string[] {
  const named = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return [lobby_id, game_mode_id, ...(code === null ? [] : [code]), ...named];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
