-- Turns a reserved seat into a connected one: the first connect wins. Mirrors rules/connect-player.ts.
return execute(function(command)
  local _, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end
  local player = findPlayer(command.playerId)
  if not player then return refuse("PLAYER_REMOVED") end
  if player.lobbyId ~= command.lobbyId then return refuse("PLAYER_IN_DIFFERENT_LOBBY") end
  if player.status == "connected" then return refuse("PLAYER_ALREADY_CONNECTED") end
  if player.status == "expired" then return refuse("PLAYER_RESERVATION_EXPIRED") end
  if player.status ~= "reserved" then return refuse("PLAYER_REMOVED") end

  changePlayer(player, { status = "connected", connectedAt = namespace.now })
  emitPlayer("player.connected", player)
  return accept()
end)
