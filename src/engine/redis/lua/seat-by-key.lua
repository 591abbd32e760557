-- Calls of server tokens have no client.
local noClient = ""

-- The taken seat of a key that a server token vouched for, with its lobby. The index has the lobby, which has few seats.
return foyer.answer(function(query)
  local lobbyId = call("HGET", foyer.seatKeysKey, foyer.scopeKey(noClient, query.key))
  local lobby = lobbyId and foyer.findLobby(lobbyId)
  if not lobby then return { "OK", false, false } end
  for _, id in ipairs(foyer.seatedIds(lobby.id)) do
    local player = foyer.findPlayer(id)
    if player.playerKey == query.key and player.clientId == noClient then
      return { "OK", foyer.viewPlayer(player, lobby), foyer.viewLobby(lobby) }
    end
  end
  return { "OK", false, false }
end)
