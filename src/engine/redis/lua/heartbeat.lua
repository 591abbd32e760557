-- The lobby's own truth repairs ours: ghosts go, a close is heard. It never reopens and never adds a player.
-- Mirrors rules/heartbeat.ts.
local function connectedPlayers(lobby)
  local connected = {}
  for _, id in ipairs(call("ZRANGE", foyer.seatedKey(lobby.id), 0, -1)) do
    local player = foyer.findPlayer(id)
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
    if isMissing and player.isMissing then foyer.endSeat(player, "left")
    elseif isMissing ~= player.isMissing then foyer.changePlayer(player, { isMissing = isMissing }) end
  end
end

return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end

  foyer.noteHeartbeat(lobby, foyer.namespace.now)
  if lobby.silentSince then
    foyer.changeLobby(lobby, { silentSince = foyer.null })
    foyer.emitLobby("lobby.changed", lobby)
  end
  if command.isClosed and not lobby.isClosed then
    foyer.changeClosing(lobby, { isClosed = true })
  end
  if command.playerIds then freeMissing(lobby, command.playerIds) end
  local ids = {}
  for _, player in ipairs(connectedPlayers(lobby)) do ids[#ids + 1] = player.id end
  local isOutdated = not foyer.isDeployed(foyer.poolOf(lobby.pool))
  return foyer.accept(lobby.isClosed and "1" or "0", isOutdated and "1" or "0", table.concat(ids, " "),
    lobby.operatorClose and "1" or "0")
end)
