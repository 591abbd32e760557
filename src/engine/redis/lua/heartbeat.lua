-- The lobby's own truth repairs ours: ghosts go, a close is heard. It never reopens and never adds a player.
-- Mirrors rules/heartbeat.ts.
local function connectedPlayers(lobby)
  local connected = {}
  for _, id in ipairs(call("ZRANGE", seatedKey(lobby.id), 0, -1)) do
    local player = findPlayer(id)
    if player.status == "connected" then connected[#connected + 1] = player end
  end
  return connected
end

-- Missing once may be a heartbeat that crossed with a connect; missing twice in a row is gone.
local function freeMissing(lobby, playerIds)
  local present = {}
  for _, id in ipairs(playerIds) do present[id] = true end
  for _, player in ipairs(connectedPlayers(lobby)) do
    local isMissing = not present[player.id]
    if isMissing and player.isMissing then endSeat(player, "left")
    elseif isMissing ~= player.isMissing then changePlayer(player, { isMissing = isMissing }) end
  end
end

return execute(function(command)
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end

  noteHeartbeat(lobby, namespace.now)
  if lobby.silentSince then
    changeLobby(lobby, { silentSince = null })
    emitLobby("lobby.changed", lobby)
  end
  if command.isClosed and not lobby.isClosed then
    changeLobby(lobby, { isClosed = true })
    emitLobby("lobby.closed", lobby)
  end
  if command.playerIds then freeMissing(lobby, command.playerIds) end
  local ids = {}
  for _, player in ipairs(connectedPlayers(lobby)) do ids[#ids + 1] = player.id end
  local isOutdated = not isDeployed(poolOf(lobby.pool))
  return accept(lobby.isClosed and "1" or "0", isOutdated and "1" or "0", table.concat(ids, " "))
end)
