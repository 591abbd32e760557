-- Turns a reserved seat into a connected one, the first connect wins; or a held one back into one. Mirrors rules/connect-player.ts.
return foyer.execute(function(command)
  local _, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  local player = foyer.findPlayer(command.playerId)
  if not player then return foyer.refuse("PLAYER_REMOVED") end
  if player.lobbyId ~= command.lobbyId then return foyer.refuse("PLAYER_IN_DIFFERENT_LOBBY") end
  if player.status == "connected" then return foyer.refuse("PLAYER_ALREADY_CONNECTED") end
  if player.status == "expired" then return foyer.refuse("PLAYER_RESERVATION_EXPIRED") end
  if not foyer.isTaken(player) then return foyer.refuse("PLAYER_REMOVED") end

  if player.status == "held" then
    foyer.endHold(player)
    return foyer.accept("1", player.playerKey and foyer.showKey(player) or "")
  end
  foyer.changePlayer(player, { status = "connected", connectedAt = foyer.namespace.now })
  foyer.emitPlayer("player.connected", player)
  return foyer.accept("0", player.playerKey and foyer.showKey(player) or "")
end)
