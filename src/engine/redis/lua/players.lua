-- The taken seats of a lobby, by id; the caller sorts them.
return foyer.answer(function(query)
  local lobby = foyer.findLobby(query.lobbyId)
  local seats = {}
  if not lobby then return { "OK", seats } end
  for _, id in ipairs(foyer.seatedIds(lobby.id)) do
    seats[#seats + 1] = foyer.viewPlayer(foyer.findPlayer(id), lobby)
  end
  return { "OK", seats }
end)
