-- A seat by its id, ended ones as long as they are remembered, with its lobby.
return foyer.answer(function(query)
  local player = foyer.findPlayer(query.playerId)
  local lobby = player and foyer.findLobby(player.lobbyId)
  if not lobby then return { "OK", false, false } end
  return { "OK", foyer.viewPlayer(player, lobby), foyer.viewLobby(lobby) }
end)
