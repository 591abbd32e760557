import type { LobbyView, PlayerView } from "./commands.ts";
import { type Lobby, type Player, peakSeats, takenSeats } from "./records.ts";

/** Copies that never change, for answers and events. */

export function viewLobby(lobby: Lobby): LobbyView {
  return {
    lobbyId: lobby.id,
    versionId: lobby.pool.versionId,
    gameMode: lobby.pool.gameMode,
    region: lobby.pool.region,
    maxPlayers: lobby.maxPlayers,
    maxPlayersDirect: lobby.maxPlayersDirect,
    isExternal: lobby.isExternal,
    isPrivate: lobby.isPrivate,
    isJoinable: lobby.isJoinable,
    tags: lobby.tags,
    timeouts: {
      readyMs: lobby.readyMs,
      reservationMs: lobby.reservationMs,
      heartbeatMs: lobby.heartbeatMs,
      emptyMs: lobby.emptyMs,
    },
    ports: lobby.ports,
    lobbyConfig: lobby.lobbyConfig,
    status: lobby.status,
    isClosed: lobby.isClosed,
    operatorClose: lobby.operatorClose,
    isSilent: lobby.silentSince !== null,
    isOutdated: !lobby.pool.isDeployed,
    reserved: lobby.reserved,
    connected: lobby.connected,
    state: lobby.state,
    nodeId: lobby.nodeId,
    createReason: lobby.createReason,
    createdBy: lobby.createdBy,
    createdAt: lobby.createdAt,
    readyAt: lobby.readyAt,
    lastHeartbeatAt: lobby.lastHeartbeatAt,
    silentSince: lobby.silentSince,
    emptySince: takenSeats(lobby) === 0 ? lobby.emptySince : null,
    peakSeats: peakSeats(lobby),
    stoppedAt: lobby.stoppedAt,
    stopReason: lobby.stopReason,
    exit: lobby.exit,
  };
}

export function viewPlayer(player: Player): PlayerView {
  return {
    playerId: player.id,
    lobbyId: player.lobbyId,
    clientId: player.clientId,
    status: player.status,
    reservedAt: player.reservedAt,
    connectedAt: player.connectedAt,
    expiresAt: player.status === "reserved" && player.dueAt !== Infinity ? player.dueAt : null,
  };
}
