import type { OperatorLobby } from "foyer-sdk";
import { Badge, Bar } from "./parts.tsx";

/** What keeps players from a lobby, or that nothing does, in words. */
export function LobbyState({ lobby }: { lobby: OperatorLobby }) {
  const isFull = lobby.total_player_count >= lobby.max_players_normal;
  if (lobby.status === "stopped") return <Badge>stopped: {describeStop(lobby.stop_reason)}</Badge>;
  return (
    <span className="badges">
      {lobby.status === "starting" && <Badge tone="warn">starting</Badge>}
      {lobby.is_closed && <Badge tone="warn">closed</Badge>}
      {lobby.is_silent && <Badge tone="bad">silent</Badge>}
      {lobby.is_outdated && <Badge tone="warn">other version</Badge>}
      {lobby.publicity === "private" && <Badge>private</Badge>}
      {isFull && <Badge>full</Badge>}
      {lobby.status === "ready" &&
        !lobby.is_closed &&
        !lobby.is_silent &&
        !lobby.is_outdated &&
        !isFull &&
        lobby.publicity === "public" && <Badge tone="good">open</Badge>}
    </span>
  );
}

/** How many of a lobby's seats are taken. */
export function Fill({ lobby }: { lobby: OperatorLobby }) {
  const { total_player_count: taken, max_players_normal: max } = lobby;
  return (
    <span className="fill">
      <Bar label="Seats taken" value={taken} max={max} />
      <span className="number">
        {taken}/{max}
      </span>
    </span>
  );
}

const reasons: Readonly<Record<string, string>> = {
  self: "it ended itself",
  operator: "an operator stopped it",
  crashed: "it crashed",
  start_failed: "it could not be started",
  namespace_removed: "its namespace was removed",
  node_lost: "its node was lost",
  not_ready: "it did not become ready in time",
  empty: "it was empty",
  outdated: "another version was deployed",
  silent: "it sent no heartbeats",
};

export function describeStop(reason: string | null): string {
  return reasons[reason ?? ""] ?? reason ?? "unknown";
}
