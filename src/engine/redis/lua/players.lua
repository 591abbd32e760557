-- The taken seats of a lobby, by id; whoever shows them puts them into order.
return foyer.answer(function(query)
  local lobby = foyer.findLobby(query.lobbyId)
  local seats = {}
  if not lobby then return { "OK", seats } end
  for _, id in ipairs(call("ZRANGE", foyer.seatedKey(lobby.id), 0, -1)) do
    local player = foyer.findPlayer(id)
    local dueAt = player.status == "reserved" and foyer.playerDueAt(player, lobby) or foyer.never
    seats[#seats + 1] = { id, $player.view }
  end
  return { "OK", seats }
end)
