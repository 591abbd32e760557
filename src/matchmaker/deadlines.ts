import { itemAt } from "./ordered-set.ts";
import { compareAge, isIdle, isLiving, isTaken, type Key, type Lobby, type Player, takenSeats } from "./records.ts";
import { constants } from "./schema.ts";

/** When something is due to happen to a record without anyone asking: always worked out from its facts. Infinity: never. */

const { rememberedMs, silentPeriodsMax } = constants;

/** Heartbeat clocks begin at `heardFrom` at the earliest. */
export function lobbyDueAt(lobby: Lobby, heardFrom: number): number {
  if (lobby.stoppedAt !== null) return lobby.stoppedAt + rememberedMs;
  return Math.min(readyDueAt(lobby), emptyDueAt(lobby), heartbeatDueAt(lobby, heardFrom));
}

export function readyDueAt(lobby: Lobby): number {
  return lobby.readyAt === null ? lobby.createdAt + lobby.readyMs : Infinity;
}

/** Lobbies of another version than the deployed one get no more players, ready or not. */
export function emptyDueAt(lobby: Lobby): number {
  if (lobby.isExternal || takenSeats(lobby) > 0) return Infinity;
  if (!lobby.pool.isDeployed) return lobby.emptySince;
  if (lobby.readyAt === null || isKept(lobby)) return Infinity;
  return Math.max(lobby.readyAt, lobby.emptySince) + lobby.emptyMs;
}

/** An empty lobby that Foyer runs, of another version than the deployed one. */
export function isRetired(lobby: Lobby): boolean {
  return isLiving(lobby) && !lobby.isExternal && takenSeats(lobby) === 0 && !lobby.pool.isDeployed;
}

/** Falls silent at this time; when it is silent already, stops. */
function heartbeatDueAt(lobby: Lobby, heardFrom: number): number {
  if (lobby.heartbeatMs === 0 || lobby.isMute || lobby.readyAt === null) return Infinity;
  if (lobby.silentSince !== null) return Math.max(lobby.silentSince, heardFrom) + silentPeriodsMax * lobby.heartbeatMs;
  return Math.max(lobby.readyAt, lobby.lastHeartbeatAt ?? 0, heardFrom) + lobby.heartbeatMs;
}

/** One of the oldest idle lobbies, as many as the game mode wants kept. */
function isKept(lobby: Lobby): boolean {
  const { idle, idleMin } = lobby.pool;
  if (idleMin === 0 || !isIdle(lobby)) return false;
  const lastKept = itemAt(idle, idleMin - 1);
  return lastKept === undefined || compareAge(lobby, lastKept) <= 0;
}

/** The lobby is only needed while the seat is taken. A reserved seat in a starting lobby has no deadline but the lobby's own. */
export function playerDueAt(player: Player, lobby: Lobby | undefined): number {
  if (!isTaken(player)) return (player.endedAt ?? 0) + rememberedMs;
  if (player.status === "connected" || lobby === undefined) return Infinity;
  if (player.status === "held") return (player.heldAt ?? 0) + lobby.reconnectMs;
  if (lobby.readyAt === null) return Infinity;
  return Math.max(player.reservedAt, lobby.readyAt) + lobby.reservationMs;
}

export function keyDueAt(key: Key): number {
  return key.createdAt + rememberedMs;
}
