-- Frees a seat once, or holds it if its player may return; one that has ended already stays as it ended.
-- Mirrors rules/disconnect-player.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  local player = foyer.findPlayer(command.playerId)
  if not player then return foyer.refuse("PLAYER_REMOVED") end
  if player.lobbyId ~= command.lobbyId then return foyer.refuse("PLAYER_IN_DIFFERENT_LOBBY") end
  if not foyer.isTaken(player) then return foyer.accept("0") end
  local mayReturn = command.mayReturn and lobby.reconnectMs > 0
  if mayReturn and player.status ~= "connected" then return foyer.accept("0") end

  if mayReturn then foyer.holdSeat(player) else foyer.endSeat(player, "left") end
  return foyer.accept("1")
end)
