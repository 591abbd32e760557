-- Frees a seat once, connected or only reserved; one that has ended already stays as it ended.
-- Mirrors rules/disconnect-player.ts.
return foyer.execute(function(command)
  local _, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  local player = foyer.findPlayer(command.playerId)
  if not player then return foyer.refuse("PLAYER_REMOVED") end
  if player.lobbyId ~= command.lobbyId then return foyer.refuse("PLAYER_IN_DIFFERENT_LOBBY") end
  if not foyer.isTaken(player) then return foyer.accept("0") end

  foyer.endSeat(player, "left")
  return foyer.accept("1")
end)
