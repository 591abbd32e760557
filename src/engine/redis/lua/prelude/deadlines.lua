-- When something is due to happen to a record without anyone asking, mirrored from deadlines.ts.
function foyer.readyDueAt(lobby)
  return lobby.readyAt == nil and lobby.createdAt + lobby.readyMs or foyer.never
end

-- Lobbies of another version than the deployed one get no more players, ready or not.
function foyer.emptyDueAt(lobby)
  if lobby.isExternal or foyer.takenSeats(lobby) > 0 then return foyer.never end
  if not foyer.isDeployed(foyer.poolOf(lobby.pool)) then return lobby.emptySince end
  if lobby.readyAt == nil or foyer.isKept(lobby) then return foyer.never end
  return math.max(lobby.readyAt, lobby.emptySince) + lobby.emptyMs
end

-- An empty lobby that Foyer runs, of another version than the deployed one.
function foyer.isRetired(lobby)
  return not lobby.isExternal and foyer.takenSeats(lobby) == 0 and not foyer.isDeployed(foyer.poolOf(lobby.pool))
end

-- Empty lobbies of a version that was deployed before end in steps, and some may be left.
function foyer.isRetiring() return foyer.namespace.retireFrom and not foyer.namespace.removedAt end

-- Falls silent at this time; when it is silent already, stops.
function foyer.heartbeatDueAt(lobby)
  if lobby.heartbeatMs == 0 or lobby.isMute or lobby.readyAt == nil then return foyer.never end
  local heardFrom = foyer.namespace.heardFrom
  if lobby.silentSince then return math.max(lobby.silentSince, heardFrom) + $silentPeriodsMax * lobby.heartbeatMs end
  return math.max(lobby.readyAt, lobby.lastHeartbeatAt or 0, heardFrom) + lobby.heartbeatMs
end

function foyer.lobbyDueAt(lobby)
  if lobby.stoppedAt then return lobby.stoppedAt + $rememberedMs end
  return math.min(foyer.readyDueAt(lobby), foyer.emptyDueAt(lobby), foyer.heartbeatDueAt(lobby))
end

-- A reserved seat in a starting lobby has no deadline but the lobby's own.
function foyer.playerDueAt(player, lobby)
  if not foyer.isTaken(player) then return player.endedAt + $rememberedMs end
  if player.status == "connected" or lobby == nil then return foyer.never end
  if player.status == "held" then return player.heldAt + lobby.reconnectMs end
  if lobby.readyAt == nil then return foyer.never end
  return math.max(player.reservedAt, lobby.readyAt) + lobby.reservationMs
end

-- When there is next something to expire.
function foyer.nextDueAt()
  local first = tonumber(call("ZRANGE", foyer.timersKey, "0", "0", "WITHSCORES")[2]) or foyer.never
  return math.min(first, foyer.namespace.removedAt and foyer.namespace.removedAt + $rememberedMs or foyer.never)
end
