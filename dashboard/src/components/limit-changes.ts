import type { MatchmakerConfig, Namespace, OperatorLobby } from "foyer-sdk";

type Limits = Namespace["matchmaker"];

/** What new limits mean for the lobbies and players of now, one sentence each. */
export function describeLimits(
  before: Limits,
  after: Required<MatchmakerConfig>,
  lobbies: readonly Pick<OperatorLobby, "total_player_count">[],
): string[] {
  return [
    ...describeLobbies(before.lobby_count_max, after.lobby_count_max, lobbies.length),
    ...describePlayers(before.max_players, after.max_players, lobbies),
    ...describeClients(before.max_players_per_client, after.max_players_per_client),
  ];
}

function describeLobbies(before: number, after: number, running: number): string[] {
  if (before === after) return [];
  const now = running === 1 ? "1 lobby runs" : `${count(running)} lobbies run`;
  if (after === 0)
    return [`${now}, and none is stopped. No new lobby starts: players get seats only where there is room now.`];
  if (running >= after) {
    return [`${now}, and the limit is ${count(after)}. None is stopped; no new one starts until fewer run.`];
  }
  return [`${now}; up to ${count(after - running)} more can start.`];
}

function describePlayers(
  before: number,
  after: number,
  lobbies: readonly Pick<OperatorLobby, "total_player_count">[],
): string[] {
  if (before === after) return [];
  if (after === 0) return ["No player gets a seat any more. Those who have one keep it."];
  const above = lobbies.filter(({ total_player_count }) => total_player_count > after).length;
  if (above === 0) return [`No lobby has more than ${count(after)} players now.`];
  const which = above === 1 ? "1 lobby has" : `${count(above)} lobbies have`;
  return [
    `${which} more than ${count(after)} players. They keep their seats; others get one when there is room again.`,
  ];
}

function describeClients(before: number | null, after: number | null): string[] {
  if (before === after) return [];
  if (after === null) return ["One client may take any number of seats."];
  return [`A client that has more than ${count(after)} seats keeps them, and gets no more.`];
}

const count = (value: number) => value.toLocaleString("en");
