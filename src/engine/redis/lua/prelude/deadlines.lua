-- When something is due to happen to a record without anyone asking, mirrored from deadlines.ts.
local function readyDueAt(lobby)
  return lobby.readyAt == nil and lobby.createdAt + lobby.readyMs or never
end

-- One of the oldest idle lobbies, as many as the game mode wants kept.
local function isKept(lobby)
  local pool = poolOf(lobby.pool)
  local idleMin = idleMinOf(pool)
  if idleMin == 0 or not isIdle(lobby) then return false end
  local rank = call("ZRANK", idleKey(pool), ageOf(lobby))
  return rank and rank < idleMin
end

-- Lobbies of another version than the deployed one have nobody to wait for, ready or not.
local function emptyDueAt(lobby)
  if lobby.isExternal or takenSeats(lobby) > 0 then return never end
  if not isDeployed(poolOf(lobby.pool)) then return lobby.emptySince end
  if lobby.readyAt == nil or isKept(lobby) then return never end
  return math.max(lobby.readyAt, lobby.emptySince) + lobby.emptyMs
end

-- Falls silent at this time; when it is silent already, stops.
local function heartbeatDueAt(lobby)
  if lobby.heartbeatMs == 0 or lobby.readyAt == nil then return never end
  if lobby.silentSince then return lobby.silentSince + silentPeriodsMax * lobby.heartbeatMs end
  return math.max(lobby.readyAt, lobby.lastHeartbeatAt or 0) + lobby.heartbeatMs
end

local function lobbyDueAt(lobby)
  if lobby.stoppedAt then return lobby.stoppedAt + rememberedMs end
  return math.min(readyDueAt(lobby), emptyDueAt(lobby), heartbeatDueAt(lobby))
end

-- A seat in a starting lobby has no deadline but the lobby's own.
local function playerDueAt(player, lobby)
  if not isTaken(player) then return player.endedAt + rememberedMs end
  if player.status == "connected" or lobby == nil or lobby.readyAt == nil then return never end
  return math.max(player.reservedAt, lobby.readyAt) + lobby.reservationMs
end

-- When there is next something to expire.
local function nextDueAt()
  local first = tonumber(call("ZRANGE", timersKey, 0, 0, "WITHSCORES")[2]) or never
  return math.min(first, namespace.removedAt and namespace.removedAt + rememberedMs or never)
end
