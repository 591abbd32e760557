-- The lobby's own truth repairs ours: players that it does not name go, those that came back are back, a close counts. It
-- never reopens and never adds a player. Mirrors rules/heartbeat.ts.
local function playersInside(lobby)
  local inside = {}
  for _, id in ipairs(foyer.seatedIds(lobby.id)) do
    local player = foyer.findPlayer(id)
    if player.status ~= "reserved" then inside[#inside + 1] = player end
  end
  return inside
end

-- Missing once may be a heartbeat that crossed with a connect; missing twice in a row means that the player has left. A
-- held player that is named is back.
local function repairSeats(lobby, playerIds)
  local present = {}
  for _, id in ipairs(playerIds) do present[id] = true end
  for _, player in ipairs(playersInside(lobby)) do
    local isMissing = not present[player.id]
    if player.status == "held" then
      if not isMissing then foyer.endHold(player) end
    elseif isMissing and player.isMissing then
      if lobby.reconnectMs > 0 then foyer.holdSeat(player) else foyer.endSeat(player, "left") end
    elseif isMissing ~= player.isMissing then foyer.changePlayer(player, { isMissing = isMissing }) end
  end
end

return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end

  if lobby.isMute then foyer.changeLobby(lobby, { isMute = foyer.null }) end
  foyer.noteHeartbeat(lobby, foyer.namespace.now)
  if lobby.silentSince then
    foyer.changeLobby(lobby, { silentSince = foyer.null })
    foyer.emitLobby("lobby.changed", lobby)
  end
  if command.isClosed and not lobby.isClosed then
    foyer.changeClosing(lobby, { isClosed = true })
  end
  if command.playerIds then repairSeats(lobby, command.playerIds) end
  local connected, held, keys = {}, {}, {}
  for _, player in ipairs(playersInside(lobby)) do
    local ids = player.status == "held" and held or connected
    ids[#ids + 1] = player.id
    if player.playerKey then keys[#keys + 1] = player.id .. " " .. foyer.showKey(player) end
  end
  local isOutdated = not foyer.isDeployed(foyer.poolOf(lobby.pool))
  return foyer.accept(lobby.isClosed and "1" or "0", isOutdated and "1" or "0", table.concat(connected, " "),
    lobby.operatorClose and "1" or "0", table.concat(held, " "), tostring(lobby.heartbeatMs), tostring(lobby.reconnectMs),
    table.concat(keys, " "))
end)
