import type { LobbyView } from "../../matchmaker/commands.ts";
import { type ExitDetails, readExit } from "../live/exit-details.ts";
import type { ShowLobby } from "../live/show-lobby.ts";
import { describeStop } from "../live/stop-message.ts";
import { listClosedBy } from "./closed-by.ts";
import { toTimestamp } from "./pagination.ts";

/** A lobby as operators see it, in lists, by itself and in events. */
export function toLobbyReply(lobby: LobbyView, show: ShowLobby, exit: ExitDetails | null = readExit(lobby)) {
  const closedBy = listClosedBy(lobby);
  return {
    lobby_id: lobby.lobbyId,
    game_mode_id: lobby.gameMode,
    region_id: lobby.region,
    version_id: lobby.versionId,
    status: lobby.status,
    publicity: lobby.isPrivate ? ("private" as const) : ("public" as const),
    runtime: show.runtimeOf(lobby),
    is_closed: closedBy.length > 0,
    closed_by: closedBy,
    is_silent: lobby.isSilent,
    is_outdated: lobby.isOutdated,
    max_players_normal: lobby.maxPlayers,
    max_players_direct: lobby.maxPlayersDirect,
    reserved_count: lobby.reserved,
    connected_count: lobby.connected,
    held_count: lobby.held,
    total_player_count: lobby.reserved + lobby.connected + lobby.held,
    tags: { ...lobby.tags },
    code: lobby.code,
    ports: show.ports(lobby),
    node_id: lobby.nodeId,
    registered_by: lobby.createReason === "registered" ? lobby.createdBy : null,
    create_ts: toTimestamp(lobby.createdAt),
    ready_ts: toTimestampOrNull(lobby.readyAt),
    heartbeat_ts: toTimestampOrNull(lobby.lastHeartbeatAt),
    empty_since_ts: toTimestampOrNull(lobby.emptySince),
    stop_ts: toTimestampOrNull(lobby.stoppedAt),
    stop_reason: lobby.stopReason,
    exit_code: exit?.code ?? null,
    exit_signal: exit?.signal ?? null,
    exit_message: exit?.message ?? describeStop(lobby),
  };
}

export function toTimestampOrNull(at: number | null): string | null {
  return at === null ? null : toTimestamp(at);
}
