-- Frees a seat once, connected or only reserved; one that has ended already stays as it ended.
-- Mirrors rules/disconnect-player.ts.
return execute(function(command)
  local _, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end
  local player = findPlayer(command.playerId)
  if not player then return refuse("PLAYER_REMOVED") end
  if player.lobbyId ~= command.lobbyId then return refuse("PLAYER_IN_DIFFERENT_LOBBY") end
  if not isTaken(player) then return accept("0") end

  endSeat(player, "left")
  return accept("1")
end)
